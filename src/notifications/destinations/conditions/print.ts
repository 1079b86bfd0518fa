import type { Condition, LiteralValue, Operand } from './tree.ts';

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
    default:
      return condition satisfies never;
  }
}

const within = (condition: Condition, least: number) =>
  strengthOf(condition) < least ? `(${printCondition(condition)})` : printCondition(condition);

const operandText = (operand: Operand) => (operand.kind === 'variable' ? operand.name : literalText(operand.value));

function literalText(value: LiteralValue): string {
  if (typeof value !== 'string') return String(value);
  return `"${value.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
}
