import type { Condition, LiteralValue, Operand, Segment } from './tree.ts';

/** The precedence of each kind. The other kinds test one value and never need parentheses. */
const strength = { or: 1, and: 2, not: 3 } as const;

const strengthOf = (condition: Condition): number =>
  condition.kind === 'or' || condition.kind === 'and' || condition.kind === 'not' ? strength[condition.kind] : 4;

/** A condition as text. It has only the parentheses that are needed to parse it into the same tree. */
export function printCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'or':
    case 'and': {
      const { kind, operands } = condition;
      return operands.map((operand) => within(operand, strength[kind] + 1)).join(` ${kind} `);
    }
    case 'not':
      return `not ${within(condition.operand, strength.not)}`;
    case 'alone':
      return operandText(condition.operand);
    case 'compare':
      return `${operandText(condition.left)} ${condition.operator} ${operandText(condition.right)}`;
    case 'in':
      return `${operandText(condition.left)} in [${condition.values.map(literalText).join(', ')}]`;
    case 'method':
      return `${operandText(condition.left)}.${condition.method}(${literalText(condition.text)})`;
    case 'exists':
      return `exists(${operandText(condition.operand)})`;
    case 'matches':
      return `matches(${operandText(condition.left)}, ${literalText(condition.pattern)})`;
    default:
      return condition satisfies never;
  }
}

const within = (condition: Condition, least: number) =>
  strengthOf(condition) < least ? `(${printCondition(condition)})` : printCondition(condition);

/** An operand as text. */
export function operandText(operand: Operand): string {
  switch (operand.kind) {
    case 'literal':
      return literalText(operand.value);
    case 'variable':
      return operand.name;
    case 'payload':
      return `payload${operand.path.map(segmentText).join('')}`;
    case 'header':
      return `header[${literalText(operand.name)}]`;
    default:
      return operand satisfies never;
  }
}

function segmentText(segment: Segment): string {
  if (typeof segment === 'string' && /^[A-Za-z_]\w*$/.test(segment)) return `.${segment}`;
  return `[${literalText(segment)}]`;
}

function literalText(value: LiteralValue): string {
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'string') return String(value);
  return `"${value.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
}

/** A number without an exponent, which JavaScript writes below 0.000001. */
function numberText(value: number): string {
  const [, sign, first, rest = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(String(value)) ?? [];
  if (first === undefined) return String(value);
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${first}${rest}`;
}
