import { bytesOf, isText, piecesOf } from './hmac-text.ts';
import { outsideIds } from './signed-id.ts';

/** In a path, Node accepts no control characters, spaces and bytes beyond ASCII, and the gateway no `#`. */
const ofPaths = { outside: '[^\\x21-\\xff]|#', separators: 'a line break, a space or #' };

/**
 * The placeholders of variable length besides the body: the characters that their values never contain, and the text
 * that every value begins with.
 */
export const variables = new Map([
  ['{id}', { outside: outsideIds, separators: 'a line break, a space, a quote, a bracket or a brace', beginning: '' }],
  ['{path}', { ...ofPaths, beginning: '/' }],
  ['{url}', { ...ofPaths, beginning: 'http' }],
]);

/** The range of the texts and times that directly follow (`step` 1) or precede (-1) a piece, and the piece after them. */
export function neighbours(pieces: readonly string[], at: number, step: 1 | -1) {
  let next = at + step;
  while (isText(pieces[next] ?? '{body}') || pieces[next] === '{timestamp}') next += step;
  return step === 1 ? { from: at + 1, to: next, next } : { from: next + 1, to: at, next };
}

/**
 * Why a text that is signed could be read in several ways, in the form "must …"; null when it could not. The values are
 * signed without their lengths: a signature over `m1.q.{}` fits the id `m1` with the body `q.{}`, and the id `m1.q`
 * with the body `{}`.
 *
 * Values before the body are read from the beginning of the text, those after it from its end, and the body is the
 * rest. So a value needs a mark at its end, or at its beginning, that it cannot contain: a character that is not one of
 * its own, or a time, whose form is fixed, with text other than digits. `isReadOneWay` refuses values that contain such
 * a time. With digits alone it would refuse many ids: before a time and a 1, an id of digits often contains such a time.
 */
export function signedProblem(signed: string): string | null {
  const pieces = piecesOf(signed);
  const [first, last] = [pieces.indexOf('{body}'), pieces.lastIndexOf('{body}')];
  for (const [at, piece] of pieces.entries()) {
    const rule = variables.get(piece);
    if (rule === undefined) continue;
    if (first < at && at < last) return `must not have ${piece} between two {body}; put it before or after them`;
    const { from, to } = neighbours(pieces, at, at < first ? 1 : -1);
    const texts = pieces.slice(from, to).filter(isText);
    const hasTime = texts.length < to - from;
    const outside = new RegExp(rule.outside);
    if (texts.some((text) => outside.test(bytesOf(text))) || (hasTime && texts.some((text) => /\D/.test(text))))
      continue;
    const [place, example] =
      at < first ? ['after', `${piece}.{timestamp}.{body}`] : ['before', `{body}.{timestamp}.${piece}`];
    return `must have ${rule.separators} ${place} ${piece}, or {timestamp} and text other than digits, as in ${example}; otherwise a signature that was seen once would be valid for another body`;
  }
  return null;
}
