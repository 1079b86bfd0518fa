import { STATUS_CODES } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { keptAnswerBytes } from '../shared/kept-answer.ts';
import { parseRetryAfter } from './retry-after.ts';

export type Answer = {
  outcome: 'delivered' | 'http_error';
  responseCode: number;
  responseBody: string;
  /** As received: names in lower case, in their order. */
  responseHeaders: ResponseHeaders;
  /** The `Retry-After` of a 429 or 503; null when absent or invalid. */
  retryAfterMs: number | null;
  /** Null when delivered. */
  error: string | null;
};

type HeaderValue = string | string[] | undefined;
/** A name that came several times has an array. */
export type ResponseHeaders = Readonly<Record<string, HeaderValue>>;

const firstOf = (value: HeaderValue) => (Array.isArray(value) ? value[0] : value);

/** ` to https://other.example`. Only the origin, because paths and queries of redirects may contain tokens. */
function redirectTarget(location: HeaderValue, base: string): string {
  const url = URL.parse(firstOf(location) ?? '', base);
  return location !== undefined && url && url.origin !== 'null' ? ` to ${url.origin}` : '';
}

/** `api.example:443 answered 404 Not Found`. */
export const answeredText = (peer: string, code: number): string =>
  `${peer} answered ${code}${STATUS_CODES[code] ? ` ${STATUS_CODES[code]}` : ''}`;

function errorText(code: number, location: HeaderValue, peer: string, origin: string): string {
  const answered = answeredText(peer, code);
  if (code < 300 || code > 399 || code === 304) return answered;
  return `${answered}, a redirect${redirectTarget(location, origin)}; redirects are not followed`;
}

/** Collects one HTTP response as it arrives: its status, the relevant headers and the first 16 KiB of the body. */
export class AnswerReader {
  readonly #peer: string;
  readonly #origin: string;
  readonly #nowMs: () => number;
  readonly #isSuccess: (status: number) => boolean;
  #status: { code: number; headers: ResponseHeaders; retryAfterMs: number | null; error: string | null } | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;

  /**
   * @param nowMs the clock with which a date in `Retry-After` is compared.
   * @param isSuccess which statuses count as delivered.
   */
  constructor(peer: string, origin: string, nowMs: () => number, isSuccess: (status: number) => boolean) {
    this.#peer = peer;
    this.#origin = origin;
    this.#nowMs = nowMs;
    this.#isSuccess = isSuccess;
  }

  start(code: number, headers: ResponseHeaders): void {
    const delivered = this.#isSuccess(code);
    const retryAfter = code === 429 || code === 503 ? firstOf(headers['retry-after']) : undefined;
    this.#status = {
      code,
      headers,
      retryAfterMs: retryAfter === undefined ? null : parseRetryAfter(retryAfter, this.#nowMs()),
      error: delivered ? null : errorText(code, headers.location, this.#peer, this.#origin),
    };
  }

  /** Adds a chunk of the body. Returns true when the body exceeds the limit, so that the rest need not be read. */
  take(chunk: Buffer): boolean {
    // A copy, because undici's chunks are views of larger buffers, which would stay in memory.
    if (this.#bytes < keptAnswerBytes) this.#chunks.push(Buffer.from(chunk.subarray(0, keptAnswerBytes - this.#bytes)));
    this.#bytes += chunk.length;
    return this.#bytes > keptAnswerBytes;
  }

  /**
   * The response so far; null without a status. The status alone decides the outcome: a consumer that responded with
   * success has the event, even if the rest of the response is lost.
   */
  result(): Answer | null {
    if (!this.#status) return null;
    const { code, headers, retryAfterMs, error } = this.#status;
    const outcome = error === null ? 'delivered' : 'http_error';
    const responseBody = this.#text();
    return { outcome, responseCode: code, responseBody, responseHeaders: headers, retryAfterMs, error };
  }

  #text(): string {
    if (this.#bytes === 0) return '';
    const bytes = Buffer.concat(this.#chunks);
    // StringDecoder drops a character that the limit cut in two.
    const text = this.#bytes > keptAnswerBytes ? new StringDecoder('utf8').write(bytes) : bytes.toString('utf8');
    // PostgreSQL's type text accepts every character except NUL.
    return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
  }
}
