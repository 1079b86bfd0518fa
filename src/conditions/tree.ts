/**
 * The kind of a value. Values of different kinds are never compared. `number` is the kind of literals that no variable
 * can equal, such as 12.5; `any` is the kind of values of the payload, which only an event decides.
 */
export type Kind = 'text' | 'integer' | 'number' | 'boolean' | 'any';

/** The variables of conditions and their kinds. Where a condition is used decides which of them it may name. */
export const variableKinds = {
  delivery_failed: 'boolean',
  provider: 'text',
  event_type: 'text',
  external_id: 'text',
  account_slug: 'text',
  app_key: 'text',
  consumer: 'text',
  attempts: 'integer',
  response_code: 'integer',
} as const satisfies Record<string, Kind>;

export type VariableName = keyof typeof variableKinds;

const isVariable = (name: string): name is VariableName => Object.hasOwn(variableKinds, name);

/** All variables, for texts that were checked before they were stored. */
export const variableNames: readonly VariableName[] = Object.keys(variableKinds).filter(isVariable);

/** The values of an event that conditions can test. One that is absent or null has no value. */
export type Variables = {
  readonly [Name in VariableName]?:
    | { text: string; integer: number; boolean: boolean }[(typeof variableKinds)[Name]]
    | null;
};

export const methods = ['startswith', 'endswith', 'contains'] as const;
export type Method = (typeof methods)[number];

export const comparators = ['==', '!=', '<', '<=', '>', '>='] as const;
export type Comparator = (typeof comparators)[number];

/** The words and signs between and before tests, for completion. */
export const operators = [...comparators, 'in', 'and', 'or', 'not'] as const;

/** Tests that are written before their arguments. */
export const functions = ['exists', 'matches'] as const;

/** What stands for the content of an event. */
export const contents = ['payload', 'header'] as const;

/** A `number` is finite, and not beyond the safe integers; a `bigint` is beyond them. */
export type LiteralValue = string | number | bigint | boolean;
export type Literal = { kind: 'literal'; value: LiteralValue };

/** A key of an object, or an index of an array. */
export type Segment = string | number;
/** A value of the JSON body. Without segments it is the whole body. */
export type PayloadPath = { kind: 'payload'; path: readonly Segment[] };
/** The value of a header. The name is in lower case. */
export type Header = { kind: 'header'; name: string };
export type Operand = Literal | { kind: 'variable'; name: VariableName } | PayloadPath | Header;

/**
 * A parsed condition. `or` and `and` have at least two operands. Both sides of `compare`, and all values of `in`, fit
 * each other (`fits`). The operand of `alone` is a boolean, that of `method` and `matches` a text, or either a value of
 * the payload. `in` has at least one value. The pattern of `matches` compiles.
 */
export type Condition =
  | { kind: 'or' | 'and'; operands: readonly Condition[] }
  | { kind: 'not'; operand: Condition }
  | { kind: 'alone'; operand: Operand }
  | { kind: 'compare'; operator: Comparator; left: Operand; right: Operand }
  | { kind: 'in'; left: Operand; values: readonly LiteralValue[] }
  | { kind: 'method'; method: Method; left: Operand; text: string }
  | { kind: 'exists'; operand: PayloadPath | Header }
  | { kind: 'matches'; left: Operand; pattern: string };

/** The kind of an operand, which does not depend on the event: a variable that is null has a kind too. */
export function kindOf(operand: Operand): Kind {
  switch (operand.kind) {
    case 'variable':
      return variableKinds[operand.name];
    case 'payload':
      return 'any';
    case 'header':
      return 'text';
    case 'literal':
      return kindOfValue(operand.value);
    default:
      return operand satisfies never;
  }
}

function kindOfValue(value: LiteralValue): Kind {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  return Number.isSafeInteger(value) ? 'integer' : 'number';
}

/** Whether a value of this kind can be on the right of one of the kind `wanted`. */
export const fits = (kind: Kind, wanted: Kind): boolean =>
  kind === wanted || kind === 'any' || wanted === 'any' || (wanted === 'number' && kind === 'integer');
