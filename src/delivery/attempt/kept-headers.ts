import type { AttemptName } from '../../events/event.ts';
import { isFirstAttempt } from '../../events/first-successes.ts';
import { alwaysSecret } from '../../providers/stored-headers.ts';
import { MASKED } from '../../secrets/masked.ts';
import type { Mask } from '../../secrets/secret-mask.ts';
import { utf8HeaderValue } from '../../shared/text.ts';
import type { SendResult } from '../exchange.ts';
import type { Header } from '../headers.ts';

/** The headers of an attempt as they are stored and shown; null when nothing was sent or answered. */
export interface KeptHeaders {
  requestHeaders: Header[] | null;
  responseHeaders: Header[] | null;
}

export const noHeaders: KeptHeaders = { requestHeaders: null, responseHeaders: null };

/**
 * Whether the headers of an attempt are stored. Those of a first attempt that succeeds are not: nearly all attempts are
 * of this kind, and their headers would be most of what the gateway writes.
 */
export const keepsHeaders = (attempt: Omit<AttemptName, 'eventId'>, succeeded: boolean): boolean =>
  !(succeeded && isFirstAttempt(attempt));

/** Headers whose name says that the value is a secret. */
const secretName = /cookie|authorization|token|secret|password|api-?key|credential/;
/** Their paths and queries may contain tokens. */
const addresses = new Set(['location', 'content-location']);
/** They contain addresses among other text. */
const withAddresses = new Set(['refresh', 'link']);

/** Characters of a value. All headers of a message have at most 16 KiB, before characters are percent-encoded. */
const longestValue = 1024;

/**
 * The headers of an exchange as they are stored: with secrets masked (docs/delivery.md), and long values cut.
 *
 * @param options.secret the name of the header that authenticates the delivery, whose value may be too short for `mask`
 * @param options.url the address of the request
 */
export function keptHeaders(
  { requestHeaders, responseHeaders }: Pick<SendResult, 'requestHeaders' | 'responseHeaders'>,
  { mask, secret, url }: { mask: Mask; secret: string | undefined; url: string },
): KeptHeaders {
  const shown = (name: string, value: string) => {
    if (alwaysSecret.has(name) || secretName.test(name) || withAddresses.has(name)) return MASKED;
    if (name === secret?.toLowerCase()) return MASKED;
    return addresses.has(name) ? shownTarget(mask(value), url) : mask(value);
  };
  const keep = (headers: Iterable<Header>): Header[] =>
    Array.from(headers, ([name, value]) => [mask(name), cut(shown(name.toLowerCase(), value))]);
  return {
    requestHeaders: requestHeaders && keep(pairsOf(requestHeaders)),
    responseHeaders: responseHeaders && keep(linesOf(responseHeaders)),
  };
}

const cut = (value: string) =>
  value.length > longestValue ? `${value.slice(0, longestValue - 1).toWellFormed()}…` : value;

/** `https://other.example/[masked]`. */
function shownTarget(location: string, base: string): string {
  const origin = URL.parse(location, base)?.origin ?? 'null';
  return origin === 'null' ? MASKED : `${origin}/${MASKED}`;
}

function* pairsOf(flat: readonly string[]): Generator<Header> {
  for (let n = 0; n + 1 < flat.length; n += 2) yield [flat[n] ?? '', flat[n + 1] ?? ''];
}

/** undici decodes values as latin1. */
function* linesOf(headers: NonNullable<SendResult['responseHeaders']>): Generator<Header> {
  for (const [name, values] of Object.entries(headers))
    for (const value of [values ?? []].flat()) yield [name, utf8HeaderValue(value)];
}
