import type { AttemptName } from '../../events/event.ts';
import { alwaysSecret } from '../../providers/stored-headers.ts';
import { MASKED } from '../../secrets/masked.ts';
import type { Mask } from '../../secrets/secret-mask.ts';
import { keptAnswerBytes } from '../../shared/kept-answer.ts';
import type { Header } from '../headers.ts';
import type { SendResult } from '../send.ts';

/** The headers of an attempt as they are stored and shown; null when nothing was sent or answered. */
export interface KeptHeaders {
  requestHeaders: Header[] | null;
  responseHeaders: Header[] | null;
}

export const noHeaders: KeptHeaders = { requestHeaders: null, responseHeaders: null };

/**
 * Whether the headers of an attempt are kept: of each but a first one that succeeds. Nearly all attempts are such, and
 * their headers would be most of what the gateway writes.
 */
export const keepsHeaders = (
  { trigger, generation, number }: Pick<AttemptName, 'trigger' | 'generation' | 'number'>,
  succeeded: boolean,
): boolean => !(succeeded && trigger === 'schedule' && generation === 0 && number === 1);

/**
 * The headers of an exchange with their secrets masked: credentials, cookies, what `mask` knows, and where a redirect
 * leads within its host, because paths and queries may contain tokens. At most 16 KiB of each.
 *
 * @param options.secret the name of the header that authenticates the delivery, whose value may be too short for `mask`
 * @param options.url the address of the request
 */
export function keptHeaders(
  { requestHeaders, responseHeaders }: Pick<SendResult, 'requestHeaders' | 'responseHeaders'>,
  { mask, secret, url }: { mask: Mask; secret: string | undefined; url: string },
): KeptHeaders {
  const isSecret = (name: string) => alwaysSecret.has(name) || name === secret?.toLowerCase();
  const keep = (headers: Iterable<Header>) => {
    const kept: Header[] = [];
    let bytes = 0;
    for (const [name, value] of headers) {
      bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
      if (bytes > keptAnswerBytes) break;
      const compared = name.toLowerCase();
      const shown = compared === 'location' ? shownTarget(mask(value), url) : mask(value);
      kept.push([mask(name), isSecret(compared) ? MASKED : shown]);
    }
    return kept;
  };
  return {
    requestHeaders: requestHeaders && keep(pairsOf(requestHeaders)),
    responseHeaders: responseHeaders && keep(linesOf(responseHeaders)),
  };
}

/** `https://other.example/[masked]`. */
function shownTarget(location: string, base: string): string {
  const origin = URL.parse(location, base)?.origin ?? 'null';
  return origin === 'null' ? MASKED : `${origin}/${MASKED}`;
}

function* pairsOf(flat: readonly string[]): Generator<Header> {
  for (let n = 0; n + 1 < flat.length; n += 2) yield [flat[n] ?? '', flat[n + 1] ?? ''];
}

function* linesOf(headers: NonNullable<SendResult['responseHeaders']>): Generator<Header> {
  for (const [name, values] of Object.entries(headers)) for (const value of [values ?? []].flat()) yield [name, value];
}
