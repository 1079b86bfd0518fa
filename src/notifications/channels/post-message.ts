import type { SendResult } from '../../delivery/exchange.ts';
import type { Header } from '../../delivery/headers.ts';
import { maskError } from '../../delivery/mask-error.ts';
import type { Sender } from '../../delivery/send.ts';
import { createMask } from '../../secrets/secret-mask.ts';
import type { Said } from '../notice.ts';

/** The means to send messages to a service. */
export interface Outbound {
  sender: Sender;
  /** The time limit of one request, from DNS to the end of the response. */
  timeLimitMs: number;
  /** As in `SendRequest`. */
  nowMs: () => number;
}

export interface ChannelPost {
  url: string;
  /** Besides `content-type`. */
  headers: readonly Header[];
  body: Uint8Array;
  /** Secrets to mask in the service's response. */
  secrets: readonly string[];
  /** Extracts the error message from an error response; without it, the whole body is the message. */
  gist?: (body: string) => string;
  /** Reads the wait in milliseconds from the body of a 429, for services that send it there. */
  askedWaitMs?: (body: string) => number | null;
}

/** Enough for one sentence; errors are shown in lists. */
const gistCharacters = 200;

/** The beginning of a text on one line, without the control characters that a terminal would execute. */
function inShort(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu, ' ').trim();
  const characters = [...line];
  return characters.length <= gistCharacters ? line : `${characters.slice(0, gistCharacters).join('')}…`;
}

/** Posts JSON to a service and returns the outcome. Never rejects. */
export async function postJson({ sender, timeLimitMs, nowMs }: Outbound, post: ChannelPost): Promise<Said> {
  const headers: Header[] = [['content-type', 'application/json'], ...post.headers];
  return told(await sender.post({ url: post.url, headers, body: post.body, timeLimitMs, nowMs }), post);
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
