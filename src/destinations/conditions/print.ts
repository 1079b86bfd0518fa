import type { Condition, LiteralValue, Operand } from './tree.ts';

/** How much each kind holds together; the rest are questions, which never need parentheses. */
const strength = { or: 1, and: 2, not: 3 } as const;

const strengthOf = (condition: Condition): number =>
  condition.kind === 'or' || condition.kind === 'and' || condition.kind === 'not' ? strength[condition.kind] : 4;

/** A condition as text, with no more parentheses than it takes to be parsed into the same tree again. */
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
