import { keptAnswerBytes } from '../shared/kept-answer.ts';
import { decoded } from '../shared/text.ts';
import { MASKED } from './masked.ts';

/** Takes the secrets out of what a service or a consumer said. */
export type Mask = (text: string) => string;

/** Parts of paths and queries that are shorter are guessed anyhow, and would be found in every other word. */
export const fewestCharacters = 4;

/** Parts of the paths of well-known services, and values, that many a text holds and that tell nothing. */
const plainParts = new Set([
  ...['api', 'hook', 'hooks', 'webhook', 'webhooks', 'services', 'workflows', 'triggers', 'slack', 'github'],
  ...['true', 'false'],
]);

const isPlain = (part: string) => plainParts.has(part.toLowerCase());
const isTelling = (part: string) => part.length >= fewestCharacters && !isPlain(part);

/**
 * Whatever gives access in a URL: user and password, the parts of the path, the values of the query. Chat services keep
 * their tokens in the path.
 */
export function secretsOfUrl(text: string): string[] {
  const url = URL.parse(text);
  if (!url) return [text];
  const { username, password, pathname, search } = url;
  const segments = pathname.split('/').filter((segment) => segment !== '');
  // The path as a whole: its parts may be short.
  const secrets = segments.every(isPlain) && search === '' ? [] : [text, pathname + search].filter(isTelling);
  if (username !== '' || password !== '') {
    const both = `${decoded(username)}:${decoded(password)}`;
    secrets.push(Buffer.from(both, 'utf8').toString('base64'));
  }
  if (password !== '') secrets.push(password);
  const values = search.slice(1).split('&');
  const parts = [...segments, ...values.map((pair) => pair.slice(pair.indexOf('=') + 1)), username];
  return [...secrets, ...parts.filter(isTelling)];
}

const unicodeEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A text as it is, and as JSON (of several writers), URLs, forms and HTML have it. */
function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const percent = encodeURIComponent(text.toWellFormed());
  return [
    ...[text, json, json.replaceAll('/', '\\/'), json.replaceAll(/[&<>]/g, unicodeEscape)],
    json.replaceAll(/[^\0-\x7f]/g, unicodeEscape),
    ...[percent, percent.replaceAll('%20', '+')],
    text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character),
  ];
}

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** How many characters at the end of `text` are the beginning of `form`. */
function begunAtEnd(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length >= fewestCharacters; length--)
    if (text.endsWith(form.slice(0, length))) return length;
  return 0;
}

/**
 * Makes what replaces these secrets by `[masked]`, in either case and however they are escaped: a service that repeats
 * the request in its answer must not carry them into rows and answers that others read. A text of 16 KiB has been cut,
 * maybe through a secret: what is left of it there goes as well.
 */
export function createMask(secrets: readonly string[]): Mask {
  const given = secrets.filter((secret) => secret !== '').flatMap((secret) => [secret, decoded(secret)]);
  const forms = [...new Set(given.flatMap(formsOf))];
  if (forms.length === 0) return (text) => text;
  // The longest first: a whole URL is one secret, and not its parts between what is left.
  const any = new RegExp(
    forms
      .sort((a, b) => b.length - a.length)
      .map(escaped)
      .join('|'),
    'gi',
  );
  const lowered = forms.map((form) => form.toLowerCase());
  return (text) => {
    const masked = text.replaceAll(any, MASKED);
    // The cut leaves out a character that it went through, of up to four bytes.
    if (Buffer.byteLength(text) <= keptAnswerBytes - 4) return masked;
    const end = masked.slice(-Math.max(...lowered.map((form) => form.length))).toLowerCase();
    const begun = Math.max(...lowered.map((form) => begunAtEnd(end, form)));
    const whole = begun === 0 ? masked : `${masked.slice(0, -begun)}${MASKED}`;
    return whole.length > keptAnswerBytes ? whole.slice(0, keptAnswerBytes).toWellFormed() : whole;
  };
}
