import type { Edit } from './mutant.ts';
import { statementEdits } from './sql-literals.ts';
import { childrenOf, type Node, nodeIn, parsed } from './syntax-tree.ts';

/** The changes of a TypeScript file: of its code, and of the SQL statements in its literals. */
export function typescriptEdits(file: string, source: string): Edit[] {
  const root = parsed(file, source);
  if (root === null) throw new Error(`${file} cannot be parsed`);
  const edits: Edit[] = [];
  const visit = (node: Node) => {
    if (isOnlyText(node, source)) return;
    edits.push(...editsOf(node, source));
    for (const child of childrenOf(node)) visit(child);
  };
  visit(root);
  return edits;
}

/**
 * What only people read: calls of the log and whether they are made, the texts of errors, and the descriptions of a
 * schema. No test should compare their texts.
 */
function isOnlyText(node: Node, source: string): boolean {
  if (node.type === 'IfStatement' && node.alternate === null) {
    const then = nodeIn(node, 'consequent');
    const call = then?.type === 'ExpressionStatement' ? nodeIn(then, 'expression') : null;
    return call?.type === 'CallExpression' && isOnlyText(call, source);
  }
  const callee = nodeIn(node, 'callee');
  if (callee === null) return false;
  const name = source.slice(callee.start, callee.end);
  if (node.type === 'NewExpression') return name.endsWith('Error');
  return /(^|[.#])(log|console)(\??\.|\[)/.test(name) || /\.(describe|meta)$/.test(name);
}

function editsOf(node: Node, source: string): Edit[] {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return operatorEdits(node, source);
    case 'UnaryExpression':
      return node.operator === '!' ? [{ kind: 'boolean', start: node.start, end: node.start + 1, after: '' }] : [];
    case 'Literal':
      return [...constantEdits(node), ...statementEdits(node, source)];
    case 'TemplateLiteral':
      return statementEdits(node, source);
    case 'IfStatement':
      return forced(nodeIn(node, 'test'));
    case 'ConditionalExpression':
      return swapped(node, source);
    case 'ExpressionStatement':
      return droppedCall(node, source);
    default:
      return [];
  }
}

const operators: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
};

function operatorEdits(node: Node, source: string): Edit[] {
  const [left, right] = [nodeIn(node, 'left'), nodeIn(node, 'right')];
  const operator = String(node.operator);
  if (left === null || right === null || operators[operator] === undefined) return [];
  // A comment between the operands may have the operator, too: it is searched from behind where no comment is.
  const between = source.slice(left.end, right.start);
  const at = between
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (comment) => ' '.repeat(comment.length))
    .indexOf(operator);
  const start = left.end + at;
  const kind = node.type === 'LogicalExpression' ? 'boolean' : 'comparison';
  return operators[operator].map((after) => ({ kind, start, end: start + operator.length, after }));
}

function constantEdits({ value, start, end }: Node): Edit[] {
  if (typeof value === 'boolean') return [{ kind: 'constant', start, end, after: String(!value) }];
  if (typeof value !== 'number') return [];
  // One more matters for a count. For a large number, such as a time in milliseconds, it does not.
  const after = value === 0 || (value < 100 && Number.isInteger(value)) ? value + 1 : 0;
  return [{ kind: 'constant', start, end, after: String(after) }];
}

const forced = (test: Node | null): Edit[] =>
  test === null ? [] : ['true', 'false'].map((after) => ({ kind: 'branch', start: test.start, end: test.end, after }));

function swapped(node: Node, source: string): Edit[] {
  const [one, other] = [nodeIn(node, 'consequent'), nodeIn(node, 'alternate')];
  if (one === null || other === null) return [];
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  const between = source.slice(one.end, other.start);
  return [{ kind: 'branch', start: one.start, end: other.end, after: `${textOf(other)}${between}${textOf(one)}` }];
}

/** Drops a statement that is a call, such as `await stop();`. A constructor must call that of its super class. */
function droppedCall(node: Node, source: string): Edit[] {
  let call = nodeIn(node, 'expression');
  while (call !== null && /^(Await|Unary|Chain)Expression$/.test(call.type))
    call = nodeIn(call, 'argument') ?? nodeIn(call, 'expression');
  if (call?.type !== 'CallExpression' || isOnlyText(call, source)) return [];
  if (nodeIn(call, 'callee')?.type === 'Super') return [];
  return [{ kind: 'call', start: node.start, end: node.end, after: ';' }];
}
