/** The kind of a value. Values of different kinds are never compared. */
export type Kind = 'text' | 'integer' | 'boolean';

/** The variables of a condition (docs/notifications.md) and their kinds. */
export const variableKinds = {
  delivery_failed: 'boolean',
  provider: 'text',
  event_type: 'text',
  account_slug: 'text',
  app_key: 'text',
  attempts: 'integer',
  response_code: 'integer',
} as const satisfies Record<string, Kind>;

export type VariableName = keyof typeof variableKinds;

/** The values of an event that conditions can test. */
export interface Variables {
  delivery_failed: boolean;
  provider: string;
  event_type: string | null;
  account_slug: string;
  app_key: string;
  attempts: number;
  /** The HTTP status of the last response; null when there was none. */
  response_code: number | null;
}

export const methods = ['startswith', 'endswith', 'contains'] as const;
export type Method = (typeof methods)[number];

/** The words and signs between and before tests, for completion. */
export const operators = ['==', '!=', 'in', 'and', 'or', 'not'] as const;

/** Integers are safe ones. */
export type LiteralValue = string | number | boolean;
export type Literal = { kind: 'literal'; value: LiteralValue };
export type Operand = Literal | { kind: 'variable'; name: VariableName };

/**
 * A parsed condition. `or` and `and` have at least two operands. Both sides of `compare`, and all values of `in`, have
 * the same kind. The operand of `alone` is a boolean, that of `method` a text. `in` has at least one value.
 */
export type Condition =
  | { kind: 'or' | 'and'; operands: readonly Condition[] }
  | { kind: 'not'; operand: Condition }
  | { kind: 'alone'; operand: Operand }
  | { kind: 'compare'; operator: '==' | '!='; left: Operand; right: Operand }
  | { kind: 'in'; left: Operand; values: readonly LiteralValue[] }
  | { kind: 'method'; method: Method; left: Operand; text: string };

/** The kind of an operand, which does not depend on the event: a variable that is null has a kind too. */
export function kindOf(operand: Operand): Kind {
  if (operand.kind === 'variable') return variableKinds[operand.name];
  if (typeof operand.value === 'string') return 'text';
  return typeof operand.value === 'number' ? 'integer' : 'boolean';
}
