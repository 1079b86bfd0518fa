import type { Treaty } from '@elysia/eden';
import type { api } from '../../api/client.ts';
import { contentOf, literalOf, type Token, tokensOf } from './condition-tokens.ts';
import { isPath, roots, withPaths } from './paths.ts';

/** What a condition can contain, with values of the account's events. */
export type Names = Treaty.Data<(typeof api)['conditions']['names']['get']>;
type Variable = Names['variables'][number];

/** A text that can stand at the cursor. */
export interface Option {
  label: string;
  /** What the text is. */
  detail: string;
  insert: string;
  /** How far before the end of the text the cursor goes. */
  back?: number;
}

export interface Completions {
  /** The range that an option replaces. */
  from: number;
  to: number;
  /** What the user has written of an option. */
  prefix: string;
  options: Option[];
}

/** Options that a list shows; more would not be read. */
const maxOptions = 50;

/** The texts that can stand at a position of a condition, or null where the user writes something of their own. */
export function completionsAt(text: string, position: number, names: Names): Completions | null {
  const before = withPaths(tokensOf(text.slice(0, position)));
  const last = before.at(-1);
  if (last?.to === position && isPath(last) && /[.[]/.test(last.image)) return ofPath(text, last, names);
  if (last?.kind === 'open-text') return valuesInQuotes(text, last, before.slice(0, -1), names);
  const isWriting = last !== undefined && last.to === position && (last.kind === 'word' || last.kind === 'number');
  const prefix = isWriting ? last.image : '';
  const options = matching(optionsAfter(isWriting ? before.slice(0, -1) : before, names), prefix);
  // A word that is complete needs no list.
  if (options.length === 0 || (options.length === 1 && options[0]?.insert.trim() === prefix)) return null;
  return { from: position - prefix.length, to: position, prefix, options };
}

function matching(options: Option[], prefix: string): Option[] {
  const wanted = prefix.toLowerCase();
  const rank = ({ label }: Option) => {
    const at = label.toLowerCase().replace(/^["']/, '').indexOf(wanted);
    return at === -1 ? null : Math.min(at, 1);
  };
  return options
    .flatMap((option) => {
      const order = rank(option);
      return order === null ? [] : [{ option, order }];
    })
    .sort((one, other) => one.order - other.order)
    .slice(0, maxOptions)
    .map(({ option }) => option);
}

/** Longer paths, and the methods of a text, for a path that is being written. */
function ofPath(text: string, { image, from, to }: Token, { contents, methods }: Names): Completions | null {
  const dot = /^payload.*\.(?=\w*$)/.exec(image)?.[0];
  const own = dot === undefined ? [] : methods.map((name) => methodOf(name, dot));
  const wanted = image.toLowerCase();
  const options = [...contents.map((path) => ({ label: path, detail: detailOf(path), insert: path })), ...own]
    .filter(({ insert }) => insert.toLowerCase().startsWith(wanted) && insert !== image)
    .slice(0, maxOptions);
  if (options.length === 0) return null;
  // The quote and bracket that are already there are written again.
  const closed = /\[[^\]]*$/.test(image) ? (/^["']?\]?/.exec(text.slice(to))?.[0].length ?? 0) : 0;
  return { from, to: to + closed, prefix: image, options };
}

const detailOf = (path: string) => (path.startsWith('header') ? 'header' : 'of the body');

/** The values for a text whose closing quote is missing, or is the one after the cursor. */
function valuesInQuotes(text: string, open: Token, before: Token[], names: Names): Completions | null {
  const variable = comparedWith(before, names);
  if (!variable) return null;
  const quote = open.image.charAt(0);
  const rest = /^[^"'\\\n\])]*/.exec(text.slice(open.to))?.[0] ?? '';
  const isClosed = text.charAt(open.to + rest.length) === quote;
  const written = contentOf(open);
  const options = variable.values
    .filter((value) => typeof value === 'string' && value !== written)
    .map((value) => ({ label: String(value), detail: variable.name, insert: literalOf(value, quote) }));
  const found = matching(options, written);
  if (found.length === 0) return null;
  return { from: open.from, to: isClosed ? open.to + rest.length + 1 : open.to, prefix: written, options: found };
}

/** The variable on the left of the comparison at whose right side the tokens end. */
function comparedWith(before: Token[], { variables }: Names): Variable | undefined {
  const at = before.findLastIndex(({ kind, image }) => kind !== 'text' && kind !== 'number' && image !== ',');
  const sign = before[at]?.image.toLowerCase();
  const left =
    sign !== undefined && isComparator(sign)
      ? before[at - 1]
      : sign === '[' || sign === '('
        ? before[before[at - 2]?.image === '.' ? at - 3 : at - 2]
        : undefined;
  return variables.find(({ name }) => name === left?.image);
}

const isComparator = (image: string) => /^(?:[=!<>]=|[<>])$/.test(image);

function optionsAfter(before: Token[], names: Names): Option[] {
  const last = before.at(-1);
  const image = last?.image.toLowerCase() ?? '';
  if (image === '(' && names.functions.includes(before.at(-2)?.image ?? '')) return contentsOf(names);
  if (last === undefined || ['and', 'or', 'not', '('].includes(image))
    return [
      ...variablesOf(names),
      ...contentsOf(names),
      ...functionsOf(names),
      { label: 'not', detail: 'the opposite', insert: 'not ' },
    ];
  if (image === '.') return methodsOf(names);
  if (image === 'in') return [{ label: '[ … ]', detail: 'one of these values', insert: '[]', back: 1 }];
  if (isComparator(image) || image === '[' || image === ',') return literalsOf(comparedWith(before, names));
  return isLeftSide(before) ? operatorsAfter(last, names) : joins;
}

const joins: Option[] = [
  { label: 'and', detail: 'both hold', insert: 'and ' },
  { label: 'or', detail: 'one of both holds', insert: 'or ' },
];

/** Whether the last token is the left side of a comparison that is not written yet. */
function isLeftSide(before: Token[]): boolean {
  const [last, previous] = [before.at(-1), before.at(-2)?.image.toLowerCase()];
  if (last?.kind === 'sign') return false;
  return previous === undefined || ['and', 'or', 'not', '('].includes(previous);
}

const variablesOf = ({ variables }: Names): Option[] =>
  variables.map(({ name, kind }) => ({ label: name, detail: kind, insert: name }));

const contentsOf = ({ contents }: Names): Option[] =>
  [...roots, ...contents].map((path) => ({ label: path, detail: detailOf(path), insert: path }));

const functionsOf = ({ functions }: Names): Option[] =>
  functions.map((name) => ({
    ...{ label: name, detail: name === 'exists' ? 'is there' : 'by a pattern' },
    ...(name === 'exists' ? { insert: `${name}()`, back: 1 } : { insert: `${name}(, "")`, back: 5 }),
  }));

/** A call of a method, with the cursor between its quotes. */
const methodOf = (name: string, prefix = ''): Option => ({
  ...{ label: name, detail: 'of a text', insert: `${prefix}${name}("")`, back: 2 },
});

const methodsOf = ({ methods }: Names): Option[] => methods.map((name) => methodOf(name));

const literalsOf = (variable: Variable | undefined): Option[] => {
  if (variable?.kind === 'boolean')
    return ['true', 'false'].map((label) => ({ label, detail: 'boolean', insert: label }));
  return (variable?.values ?? []).map((value) => {
    const literal = literalOf(value);
    return { label: literal, detail: variable?.name ?? '', insert: literal };
  });
};

const compare: Option[] = [
  { label: '==', detail: 'is', insert: '== ' },
  { label: '!=', detail: 'is not', insert: '!= ' },
  { label: 'in', detail: 'is one of', insert: 'in []', back: 1 },
];
const order: Option[] = ['<', '<=', '>', '>='].map((label) => ({ label, detail: 'of numbers', insert: `${label} ` }));

function operatorsAfter(left: Token, names: Names): Option[] {
  if (isPath(left)) return left.image.startsWith('payload') ? [...compare, ...order, ...joins] : compare;
  const kind = names.variables.find(({ name }) => name === left.image)?.kind;
  if (kind === 'integer') return [...compare, ...order];
  return kind === 'boolean' ? [...joins, ...compare] : compare;
}
