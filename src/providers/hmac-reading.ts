import { literalPattern } from '../shared/text.ts';
import { neighbours, variables } from './hmac-boundaries.ts';
import { bytesOf, isText } from './hmac-text.ts';

type TimeUnit = 'seconds' | 'milliseconds';

/** Seconds have ten digits from 2001 to 2286. */
const timeDigits: Record<TimeUnit, number> = { seconds: 10, milliseconds: 13 };

/** The part of a path that the account fixes: provider and slug. The sender chooses what follows, such as a query. */
const untilSlug = /^\/[^/?]*\/[^/?]*/;

/** A signed text: its pieces, and the value of each with one character for each byte. */
export interface SignedText {
  pieces: readonly string[];
  values: readonly (string | Uint8Array)[];
  unit: TimeUnit;
  /** Path and query of the request, with which each `{path}` and `{url}` ends. */
  target: string;
}

/** Whether a signed time has its full number of digits. Otherwise a digit could be moved between time and body. */
export function isWholeTime(timestamp: string, unit: TimeUnit): boolean {
  return timestamp.length === timeDigits[unit] && /^\d+$/.test(timestamp);
}

/**
 * Whether no other values that are accepted have the same signed text. Before the body, a value must end where the
 * texts and times after it first occur; after the body, it must begin where those before it last occur. Two texts that
 * are equal have this place in common, so the values are equal, too.
 *
 * Ids must be checked by `holdsBody`, and times by `isWholeTime`.
 */
export function isReadOneWay(signed: SignedText): boolean {
  const { pieces } = signed;
  const [first, last] = [pieces.indexOf('{body}'), pieces.lastIndexOf('{body}')];
  return pieces.every((piece, at) => {
    if (!variables.has(piece)) return true;
    return (at > last || endsOnce(signed, at)) && (at < first || beginsOnce(signed, at));
  });
}

function endsOnce(signed: SignedText, at: number): boolean {
  const { value, fixed, outside } = variableAt(signed, at);
  const { from, to, next } = neighbours(signed.pieces, at, 1);
  const hasText = signed.pieces.slice(from, to).some(isText);
  if (!hasText && fixed > 0) return fixed === value.length;
  // The beginning of a path or URL is a mark as a text is.
  const beginning = variables.get(signed.pieces[next] ?? '')?.beginning ?? '';
  const isMarked = hasText || beginning !== '';
  // Without a mark, the next value must begin by a character that this one cannot contain.
  const pattern = patternOf(signed, from, to) + (isMarked ? beginning : `(?=${outside}|$)`);
  const after = textOf(signed, from, to) + (isMarked ? beginning : edge(signed.values[next], 0));
  return findFrom(pattern, value + after, fixed) === value.length;
}

function beginsOnce(signed: SignedText, at: number): boolean {
  const { value, fixed, outside, beginning } = variableAt(signed, at);
  const { from, to, next } = neighbours(signed.pieces, at, -1);
  const hasText = signed.pieces.slice(from, to).some(isText);
  if (!hasText && fixed > 0) return fixed === value.length;
  // Without a text, the value before must end by a character that this one cannot contain.
  const pattern = (hasText ? '' : `(?<=${outside}|^)`) + patternOf(signed, from, to) + beginning;
  const before = hasText ? '' : edge(signed.values[next], -1);
  const text = before + textOf(signed, from, to) + value;
  const place = before.length;
  return findFrom(pattern, text, place) === place && findFrom(pattern, text, place + 1) === null;
}

/** A value of variable length. `fixed` is the number of its first characters that do not vary: 0 for an id. */
function variableAt({ pieces, values, target }: SignedText, at: number) {
  const { outside = '', beginning = '' } = variables.get(pieces[at] ?? '') ?? {};
  const value = String(values[at]);
  const fixed = beginning === '' ? 0 : value.length - target.replace(untilSlug, '').length;
  return { value, fixed, outside, beginning };
}

const textOf = ({ values }: SignedText, from: number, to: number) => values.slice(from, to).join('');

/** The regular expression of texts and times. */
function patternOf({ pieces, unit }: SignedText, from: number, to: number): string {
  const patterns = pieces
    .slice(from, to)
    .map((piece) => (isText(piece) ? literalPattern(bytesOf(piece)) : `\\d{${timeDigits[unit]}}`));
  return patterns.join('');
}

/** The first (0) or last (-1) byte of a value as a character; empty for an empty value. */
function edge(value: string | Uint8Array | undefined, at: 0 | -1): string {
  if (typeof value === 'string') return value.at(at) ?? '';
  const byte = value?.at(at);
  return byte === undefined ? '' : String.fromCharCode(byte);
}

/** The place of the first match that begins at `from` or later, or null. */
function findFrom(pattern: string, text: string, from: number): number | null {
  const matches = new RegExp(pattern, 'g');
  matches.lastIndex = from;
  return matches.exec(text)?.index ?? null;
}
