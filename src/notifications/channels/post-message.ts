import type { Header } from '../../delivery/headers.ts';
import { maskError } from '../../delivery/mask-error.ts';
import type { Sender, SendResult } from '../../delivery/send.ts';
import { createMask } from '../../secrets/secret-mask.ts';
import type { Said } from '../notice.ts';

/** How messages reach a service. */
export interface Outbound {
  sender: Sender;
  /** For one request, everything included. */
  timeLimitMs: number;
}

export interface ChannelPost {
  url: string;
  /** Besides `content-type`. */
  headers: readonly Header[];
  body: Uint8Array;
  /** What no answer may carry on. */
  secrets: readonly string[];
  /** What a service means by an answer that is no success; the answer itself unless told otherwise. */
  gist?: (body: string) => string;
  /** What a 429 asks for in its body, in milliseconds, where a service says it there. */
  askedWaitMs?: (body: string) => number | null;
}

/** Enough for a sentence of the service; errors are read in lists. */
const gistCharacters = 200;

/** The beginning of a text as one line, without characters that a terminal would obey. */
function inShort(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu, ' ').trim();
  const characters = [...line];
  return characters.length <= gistCharacters ? line : `${characters.slice(0, gistCharacters).join('')}…`;
}

/** The JSON that an answer holds; null when it holds none. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Posts JSON to a service and tells how it took that. Never rejects. */
export async function postJson({ sender, timeLimitMs }: Outbound, post: ChannelPost): Promise<Said> {
  const headers: Header[] = [['content-type', 'application/json'], ...post.headers];
  return told(await sender.post({ url: post.url, headers, body: post.body, timeLimitMs }), post);
}

function told(result: SendResult, { url, secrets, gist = (body) => body, askedWaitMs }: ChannelPost): Said {
  const mask = createMask(secrets);
  const { outcome, responseCode, durationMs } = result;
  const responseBody = result.responseBody === null ? null : mask(result.responseBody);
  if (outcome === 'delivered') return { ok: true, responseCode, responseBody, durationMs, outboxFile: null };
  const happened = maskError(mask, result.error ?? outcome, url);
  const said = inShort(mask(gist(result.responseBody ?? '')));
  const retryAfterMs =
    result.retryAfterMs ?? (responseCode === 429 ? (askedWaitMs?.(result.responseBody) ?? null) : null);
  return {
    ok: false,
    outcome,
    error: said === '' ? happened : `${happened}: ${said}`,
    ...{ responseCode, responseBody, retryAfterMs, durationMs },
    permanent: outcome === 'invalid_url',
  };
}
