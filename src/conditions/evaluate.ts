import { type Content, noContent } from './content.ts';
import { isFound } from './pattern.ts';
import type { Comparator, Condition, LiteralValue, Method, Operand, Variables } from './tree.ts';
import { Work } from './work.ts';

/**
 * Whether an event meets a condition. What is missing, null, an object or an array equals nothing: `!=` is true, and
 * every other test is false. So are tests of values of different kinds. Texts are compared case-sensitively.
 *
 * @param work what all conditions of the event may take. One that takes more counts as met, so that no notification is
 *   lost.
 */
export function evaluate(
  condition: Condition,
  variables: Variables,
  content: Content = noContent,
  work: Work = new Work(),
): boolean {
  const evaluation = new Evaluation(variables, content, work);
  const isMet = evaluation.meets(condition);
  if (evaluation.isExceeded) work.exceeded++;
  return isMet || evaluation.isExceeded;
}

type Value = LiteralValue | undefined;

/** One condition on one event. Once it has exceeded the work, every test is false at once. */
class Evaluation {
  isExceeded = false;
  readonly #variables: Variables;
  readonly #content: Content;
  readonly #work: Work;

  constructor(variables: Variables, content: Content, work: Work) {
    this.#variables = variables;
    this.#content = content;
    this.#work = work;
  }

  meets(condition: Condition): boolean {
    if (!this.#may(this.#work.step())) return false;
    switch (condition.kind) {
      case 'or':
        return condition.operands.some((operand) => this.meets(operand));
      case 'and':
        return condition.operands.every((operand) => this.meets(operand));
      case 'not':
        return !this.meets(condition.operand);
      case 'alone':
        return this.#valueOf(condition.operand) === true;
      case 'compare':
        return this.#compare(condition.operator, this.#valueOf(condition.left), this.#valueOf(condition.right));
      case 'in': {
        const left = this.#valueOf(condition.left);
        return condition.values.some((value) => this.#isEqual(left, value));
      }
      case 'method': {
        const left = this.#valueOf(condition.left);
        return typeof left === 'string' && this.#callMethod(left, condition.method, condition.text);
      }
      case 'exists':
        return this.#read(condition.operand) !== undefined;
      case 'matches': {
        const left = this.#valueOf(condition.left);
        return (
          typeof left === 'string' && this.#may(this.#work.pattern(left.length)) && isFound(condition.pattern, left)
        );
      }
      default:
        return condition satisfies never;
    }
  }

  #may(isEnough: boolean): boolean {
    if (!isEnough) this.isExceeded = true;
    return !this.isExceeded;
  }

  /** The value of an operand if it is one that can be compared. */
  #valueOf(operand: Operand): Value {
    return asValue(this.#read(operand));
  }

  #read(operand: Operand): unknown {
    const segments = operand.kind === 'payload' ? operand.path.length : 0;
    if (!this.#may(this.#work.step(1 + segments))) return undefined;
    switch (operand.kind) {
      case 'literal':
        return operand.value;
      case 'variable':
        return this.#variables[operand.name];
      case 'payload':
        return this.#may(!this.#content.isTooLarge()) ? this.#content.payload(operand.path) : undefined;
      case 'header':
        return this.#content.header(operand.name);
      default:
        return operand satisfies never;
    }
  }

  #compare(operator: Comparator, left: Value, right: Value): boolean {
    if (operator === '==') return this.#isEqual(left, right);
    if (operator === '!=') return !this.#isEqual(left, right);
    if (!isNumber(left) || !isNumber(right)) return false;
    switch (operator) {
      case '<':
        return left < right;
      case '<=':
        return left <= right;
      case '>':
        return left > right;
      case '>=':
        return left >= right;
      default:
        return operator satisfies never;
    }
  }

  #isEqual(left: Value, right: Value): boolean {
    if (left === undefined || right === undefined) return false;
    // Comparisons of a bigint with a number are exact.
    if (isNumber(left) && isNumber(right)) return left <= right && left >= right;
    if (typeof left !== 'string' || typeof right !== 'string') return left === right;
    return left.length === right.length && this.#may(this.#work.text(left.length)) && left === right;
  }

  #callMethod(left: string, method: Method, text: string): boolean {
    switch (method) {
      case 'startswith':
        return left.startsWith(text);
      case 'endswith':
        return left.endsWith(text);
      case 'contains':
        return this.#may(this.#work.text(left.length)) && left.includes(text);
      default:
        return method satisfies never;
    }
  }
}

const isNumber = (value: Value): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

function asValue(value: unknown): Value {
  return typeof value === 'string' ||
    typeof value === 'boolean' ||
    typeof value === 'number' ||
    typeof value === 'bigint'
    ? value
    : undefined;
}
