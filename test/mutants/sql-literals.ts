import type { Edit } from './mutant.ts';
import { sqlEdits } from './sql-edits.ts';
import { isNode, type Node } from './syntax-tree.ts';

/** The changes of a literal that is an SQL statement. All other texts stay: tests should not compare them. */
export function statementEdits(node: Node, source: string): Edit[] {
  const start = node.start + 1;
  const text = readable(node, source).slice(1, -1);
  if (!/^\s*(with|select|insert|update|delete)\s[\s\S]*\b(from|as|into|set|select)\b/.test(text)) return [];
  return sqlEdits(text).map((edit) => ({
    ...edit,
    start: edit.start + start,
    end: edit.end + start,
    statement: { before: text, after: text.slice(0, edit.start) + edit.after + text.slice(edit.end) },
  }));
}

/** The literal with a name of the same length in place of each `${…}`: what is there is a part of a statement. */
function readable({ start, end, expressions }: Node, source: string): string {
  let text = source.slice(start, end);
  for (const hole of Array.isArray(expressions) ? expressions.filter(isNode) : []) {
    const from = hole.start - start - '${'.length;
    const to = hole.end - start + '}'.length;
    text = text.slice(0, from) + 'x'.repeat(to - from) + text.slice(to);
  }
  return text;
}
