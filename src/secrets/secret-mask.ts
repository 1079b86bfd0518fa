import { keptAnswerBytes } from '../shared/kept-answer.ts';
import { decoded } from '../shared/text.ts';
import { MASKED } from './masked.ts';

/** Masks the secrets in a response of a service or a consumer. */
export type Mask = (text: string) => string;

/** Shorter parts of paths and queries are not masked: they can be guessed, and they would match inside other words. */
export const fewestCharacters = 4;

/** Path parts of well-known services and common values, which are not secret and occur in many texts. */
const plainParts = new Set([
  ...['api', 'hook', 'hooks', 'webhook', 'webhooks', 'services', 'workflows', 'triggers', 'slack', 'github'],
  ...['true', 'false'],
]);

const isPlain = (part: string) => plainParts.has(part.toLowerCase());
const isTelling = (part: string) => part.length >= fewestCharacters && !isPlain(part);

/**
 * The possible secrets in a URL: user and password, the parts of the path, and the values of the query. Chat services
 * have their tokens in the path.
 */
export function secretsOfUrl(text: string): string[] {
  const url = URL.parse(text);
  if (!url) return [text];
  const { username, password, pathname, search } = url;
  const segments = pathname.split('/').filter((segment) => segment !== '');
  // Also the whole path, because each of its parts may be too short.
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

/** A text unchanged, and escaped as in JSON (by different encoders), URLs, forms and HTML. */
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

/** The number of characters at the end of `text` that are the beginning of `form`. */
function begunAtEnd(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length >= fewestCharacters; length--)
    if (text.endsWith(form.slice(0, length))) return length;
  return 0;
}

/**
 * Returns a function that replaces these secrets by `[masked]`, ignoring case and in all escaped forms. A service may
 * repeat the request in its response, which is stored and shown by the API. A text of 16 KiB was truncated, possibly
 * within a secret; the beginning of a secret at its end is masked too.
 */
export function createMask(secrets: readonly string[]): Mask {
  const given = secrets.filter((secret) => secret !== '').flatMap((secret) => [secret, decoded(secret)]);
  const forms = [...new Set(given.flatMap(formsOf))];
  if (forms.length === 0) return (text) => text;
  // The longest first, so that a whole URL is masked at once and not part by part.
  const any = new RegExp(
    forms
      .sort((a, b) => b.length - a.length)
      .map((form) => RegExp.escape(form))
      .join('|'),
    'gi',
  );
  const lowered = forms.map((form) => form.toLowerCase());
  return (text) => {
    const masked = text.replaceAll(any, MASKED);
    // Truncation drops an incomplete character of up to four bytes, so the text may be that much shorter.
    if (Buffer.byteLength(text) <= keptAnswerBytes - 4) return masked;
    const end = masked.slice(-Math.max(...lowered.map((form) => form.length))).toLowerCase();
    const begun = Math.max(...lowered.map((form) => begunAtEnd(end, form)));
    const whole = begun === 0 ? masked : `${masked.slice(0, -begun)}${MASKED}`;
    return whole.length > keptAnswerBytes ? whole.slice(0, keptAnswerBytes).toWellFormed() : whole;
  };
}
