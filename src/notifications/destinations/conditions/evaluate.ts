import type { Condition, LiteralValue, Method, Operand, Variables } from './tree.ts';

/**
 * Whether an event meets a condition. Null equals nothing: for a variable that is null, `==`, `in` and the methods are
 * false, and `!=` is true. Texts are compared case-sensitively.
 */
export function evaluate(condition: Condition, variables: Variables): boolean {
  switch (condition.kind) {
    case 'or':
      return condition.operands.some((operand) => evaluate(operand, variables));
    case 'and':
      return condition.operands.every((operand) => evaluate(operand, variables));
    case 'not':
      return !evaluate(condition.operand, variables);
    case 'alone':
      return valueIn(condition.operand, variables) === true;
    case 'compare': {
      const left = valueIn(condition.left, variables);
      const equal = left !== null && left === valueIn(condition.right, variables);
      return equal === (condition.operator === '==');
    }
    case 'in': {
      const left = valueIn(condition.left, variables);
      return left !== null && condition.values.includes(left);
    }
    case 'method': {
      const left = valueIn(condition.left, variables);
      return typeof left === 'string' && callMethod(left, condition.method, condition.text);
    }
    default:
      return condition satisfies never;
  }
}

const valueIn = (operand: Operand, variables: Variables): LiteralValue | null =>
  operand.kind === 'literal' ? operand.value : variables[operand.name];

function callMethod(left: string, method: Method, text: string): boolean {
  switch (method) {
    case 'startswith':
      return left.startsWith(text);
    case 'endswith':
      return left.endsWith(text);
    case 'contains':
      return left.includes(text);
    default:
      return method satisfies never;
  }
}
