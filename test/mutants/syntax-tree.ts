import { parseSync } from 'oxc-parser';

/** A node of the ESTree that oxc makes, with the fields that mutants need: https://oxc.rs/docs/guide/usage/parser */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** The node in a field; null if the field is empty. */
export function nodeIn(node: Node, field: string): Node | null {
  const value = node[field];
  return isNode(value) ? value : null;
}

/** Parses TypeScript; null if it is not valid. */
export function parsed(file: string, source: string): Node | null {
  const { program, errors } = parseSync(file, source);
  const root: unknown = program;
  return errors.length === 0 && isNode(root) ? root : null;
}

/** TypeScript's nodes that are expressions. All others are types, which Node removes. */
const expressions = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSParameterProperty']);
const withoutCode = new Set(['ImportDeclaration', 'ExportAllDeclaration']);

/** The nodes below a node, without those of types and imports. */
export function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter(isNode)
    .filter(({ type }) => !withoutCode.has(type) && (!type.startsWith('TS') || expressions.has(type)));
}
