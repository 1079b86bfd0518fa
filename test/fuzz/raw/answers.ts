/** One answer of the gateway, as far as the tests look at it. */
interface Answer {
  status: number;
  body: Buffer;
  /** Whether it has `Connection: close`, so that no request after it is served. */
  closes: boolean;
  /** The value of `Cache-Control`; null when it has none. */
  caching: string | null;
}

export interface AnswersIn {
  /** The complete answers, with those of status 1xx. */
  answers: Answer[];
  /** The bytes after them: the beginning of an answer, or no HTTP at all. */
  rest: Buffer;
}

const endOfHead = '\r\n\r\n';

/**
 * Divides what came on a connection into answers. It knows no other framing than the gateway sends: `Content-Length`,
 * chunks without extensions and trailers, or the end of the connection.
 *
 * @param isHead whether the first final answer is one to HEAD
 */
export function answersIn(received: Buffer, isHead = false): AnswersIn {
  const answers: Answer[] = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf(endOfHead);
    if (end < 0) return { answers, rest };
    const head = rest.toString('latin1', 0, end);
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
    if (status === undefined) return { answers, rest };
    const after = rest.subarray(end + endOfHead.length);
    const isFirst = !answers.some((answer) => answer.status >= 200);
    const body = hasNoBody(Number(status), isHead && isFirst)
      ? { bytes: Buffer.alloc(0), length: 0 }
      : bodyOf(head, after);
    if (body === null) return { answers, rest };
    const [, caching = null] = /^cache-control: (.+?)\r?$/im.exec(head) ?? [];
    const closes = /^connection: close\r?$/im.test(head);
    answers.push({ status: Number(status), body: body.bytes, closes, caching });
    rest = after.subarray(body.length);
  }
}

/**
 * The answers that a cache may store, in words; empty when there are none. Only the pages of the console, which have no
 * data, may be kept: `no-cache` makes browsers ask again at each use.
 */
export function storable(answers: readonly Answer[]): string[] {
  return answers
    .filter(
      ({ status, caching }) => status >= 200 && caching !== 'no-store' && !(status === 200 && caching === 'no-cache'),
    )
    .map(({ status, caching }) => `an answer ${status} may be stored by a cache: Cache-Control is ${caching}`);
}

const hasNoBody = (status: number, isHead: boolean) => isHead || status < 200 || status === 204 || status === 304;

/** The body at the start of `bytes` and the length of it with its framing; null while it is not complete. */
function bodyOf(head: string, bytes: Buffer): { bytes: Buffer; length: number } | null {
  if (/^transfer-encoding: chunked\r?$/im.test(head)) return chunksOf(bytes);
  const [, declared] = /^content-length: (\d+)\r?$/im.exec(head) ?? [];
  // Without either, the end of the connection ends the body: answers to HTTP/1.0, and Node's own to what it cannot parse.
  const length = declared === undefined ? untilNext(bytes) : Number(declared);
  return bytes.length < length ? null : { bytes: bytes.subarray(0, length), length };
}

/** Another answer must not follow, but if it does, it must not go unnoticed. */
function untilNext(bytes: Buffer): number {
  const next = bytes.indexOf('HTTP/1.1 ');
  return next < 0 ? bytes.length : next;
}

function chunksOf(bytes: Buffer): { bytes: Buffer; length: number } | null {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    const end = line + 2 + size + 2;
    if (bytes.length < end) return null;
    chunks.push(bytes.subarray(line + 2, line + 2 + size));
    if (size === 0) return { bytes: Buffer.concat(chunks), length: end };
    at = end;
  }
}
