import { piecesOf } from '../../../src/providers/hmac-text.ts';

/** What a request says: everything that `signed` may cover. Texts have one character for each byte. */
export interface Reading {
  id: string;
  time: string;
  /** Path and query. */
  target: string;
  body: string;
}

/** Where webhooks are sent to: the public origin, and the path of the account. */
export interface Place {
  origin: string;
  path: string;
}

/** The text that a sender signs. */
export function textOf(signed: string, place: Place, { id, time, target, body }: Reading): string {
  const values = new Map([
    ['{id}', id],
    ['{timestamp}', time],
    ['{path}', target],
    ['{url}', place.origin + target],
    ['{body}', body],
  ]);
  return piecesOf(signed)
    .map((piece) => values.get(piece) ?? piece)
    .join('');
}

/**
 * Every request to `place` with this signed text, found by trying all places where a value may end. What `signed` does
 * not cover is empty.
 */
export function readingsOf(signed: string, place: Place, text: string): Reading[] {
  const pieces = piecesOf(signed);
  const found: Reading[] = [];
  const step = (index: number, at: number, known: Partial<Reading>): void => {
    const piece = pieces[index];
    if (piece === undefined) {
      if (at === text.length) found.push({ id: '', time: '', target: place.path, body: '', ...known });
      return;
    }
    const [name, before] = fields.get(piece) ?? [];
    if (name === undefined) {
      if (text.startsWith(piece, at)) step(index + 1, at + piece.length, known);
      return;
    }
    const prefix = before?.(place) ?? '';
    if (!text.startsWith(prefix, at)) return;
    const from = at + prefix.length;
    const value = known[name];
    if (value !== undefined) {
      if (text.startsWith(value, from)) step(index + 1, from + value.length, known);
      return;
    }
    for (let to = from; to <= text.length; to++) {
      const part = text.slice(from, to);
      if (isPossible[name](part, place)) step(index + 1, to, { ...known, [name]: part });
    }
  };
  step(0, 0, {});
  return found;
}

/** What a placeholder stands for, and the text before it. */
const fields = new Map<string, [keyof Reading, ((place: Place) => string)?]>([
  ['{id}', ['id']],
  ['{timestamp}', ['time']],
  ['{path}', ['target']],
  ['{url}', ['target', ({ origin }) => origin]],
  ['{body}', ['body']],
]);

/** What HTTP can carry. Servers remove spaces around the value of a header. */
const isPossible: Record<keyof Reading, (part: string, place: Place) => boolean> = {
  id: (part) => /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/.test(part),
  time: (part) => /^\d{1,20}$/.test(part),
  target: (part, { path }) =>
    part.startsWith(path) && /^(?:\/?(?:\?[\x21-\x22\x24-\x7e]*)?)$/.test(part.slice(path.length)),
  body: () => true,
};
