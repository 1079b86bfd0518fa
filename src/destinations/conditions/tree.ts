/** What a value is; values of different kinds are never compared. */
export type Kind = 'text' | 'integer' | 'boolean';

/** What a condition can ask about an event (docs/notifications.md), and of which kind each is. */
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

/** An event as conditions see it. */
export interface Variables {
  delivery_failed: boolean;
  provider: string;
  event_type: string | null;
  account_slug: string;
  app_key: string;
  attempts: number;
  /** The HTTP status of the last answer; null when there was none. */
  response_code: number | null;
}

export const methods = ['startswith', 'endswith', 'contains'] as const;
export type Method = (typeof methods)[number];

/** Integers are safe ones. */
export type LiteralValue = string | number | boolean;
export type Literal = { kind: 'literal'; value: LiteralValue };
export type Operand = Literal | { kind: 'variable'; name: VariableName };

/**
 * A condition as it was parsed. `or` and `and` have two operands or more; the two sides of `compare` and all values of
 * `in` are of one kind; `alone` holds a boolean and `method` asks a text; `in` has a value at least.
 */
export type Condition =
  | { kind: 'or' | 'and'; operands: readonly Condition[] }
  | { kind: 'not'; operand: Condition }
  | { kind: 'alone'; operand: Operand }
  | { kind: 'compare'; operator: '==' | '!='; left: Operand; right: Operand }
  | { kind: 'in'; left: Operand; values: readonly LiteralValue[] }
  | { kind: 'method'; method: Method; left: Operand; text: string };

/** The kind that an operand has whatever the event: a variable that is null has one too. */
export function kindOf(operand: Operand): Kind {
  if (operand.kind === 'variable') return variableKinds[operand.name];
  if (typeof operand.value === 'string') return 'text';
  return typeof operand.value === 'number' ? 'integer' : 'boolean';
}
