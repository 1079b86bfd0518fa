import { createHash } from 'node:crypto';

/** The kinds of changes: `typescript-edits.ts`, `sql-edits.ts`. */
type Kind = 'comparison' | 'boolean' | 'constant' | 'branch' | 'call' | 'clause';

/** A change of a text, before it is drawn. */
export interface Edit {
  kind: Kind;
  start: number;
  end: number;
  after: string;
  /** The SQL statement that a change inside of a TypeScript literal is part of, without and with the change. */
  statement?: { before: string; after: string };
}

/** A drawn change of one file. */
export interface Mutant {
  number: number;
  share: string;
  kind: Kind;
  file: string;
  line: number;
  /** The place in the file when it was drawn, in UTF-16 code units. */
  offset: number;
  before: string;
  after: string;
  /** The text around `before`, by which a place that has moved is found. */
  lead: string;
  trail: string;
}

/** Identifies the change apart from its number and its place, so that results of another draw are not mixed up with it. */
export const idOf = ({ file, before, after, lead, trail }: Mutant): string =>
  createHash('sha256')
    .update(JSON.stringify([file, before, after, lead, trail]))
    .digest('hex')
    .slice(0, 16);

const oneLine = (text: string) => (/^\s*$/.test(text) ? '(nothing)' : text.trim().replaceAll(/\s+/g, ' '));

/** Such as `src/delivery/backoff.ts:12  a < b → a <= b`: the change with the words around it. */
export const inWords = ({ file, line, before, after, lead, trail }: Mutant): string => {
  const [left = ''] = lead.split('\n').slice(-1);
  const [right = ''] = trail.split('\n');
  return `${file}:${line}  ${left.trim()} ⟦${oneLine(before)} → ${oneLine(after)}⟧ ${right.trim()}`;
};
