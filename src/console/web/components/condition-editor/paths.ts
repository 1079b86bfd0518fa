import type { Token } from './condition-tokens.ts';

/** What stands for the content of an event. */
export const roots = ['payload', 'header'];

/** Whether a token stands for a value of the event's content: `payload.amount`, or `header["x-github-event"]`. */
export const isPath = ({ kind, image }: Token): boolean =>
  kind === 'word' &&
  roots.some((root) => image === root || image.startsWith(`${root}.`) || image.startsWith(`${root}[`));

/** Joins the tokens of each path to one word, also of a path that is not written to its end. */
export function withPaths(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (last && last.to === token.from && isPath(last) && continues(last.image, token))
      joined[joined.length - 1] = { ...last, image: last.image + token.image, to: token.to };
    else joined.push(token);
  }
  return joined;
}

/** Whether a token belongs to the path before it. */
function continues(path: string, { kind, image }: Token): boolean {
  if (path.endsWith('.')) return kind === 'word';
  if (path.endsWith('[')) return kind === 'text' || kind === 'open-text' || kind === 'number';
  if (image === ']') return /\[[^[\]]*$/.test(path);
  return kind === 'sign' && (image === '[' || (image === '.' && path.startsWith('payload')));
}
