import fc from 'fast-check';
import { chunked, length, message, type Target } from './message.ts';

/** A legal request of a generated stream. */
export interface Generated {
  target: Target;
  /** The bytes to send, a byte for each character. */
  text: string;
  body: string;
}

/** What happens to the bytes of a stream of legal requests before they are sent. Places count modulo their number. */
export type Mutation =
  | { kind: 'cut'; at: number }
  | { kind: 'insert'; at: number; bytes: string }
  | { kind: 'replace'; at: number; bytes: string }
  | { kind: 'remove'; at: number; count: number }
  | { kind: 'repeat'; at: number; count: number }
  | { kind: 'repeat line'; at: number };

/** What one connection sends. */
export interface Stream {
  requests: Generated[];
  mutations: Mutation[];
  /** Where the writes are cut, modulo the number of bytes, and the pause after each write. */
  writes: { at: number; pauseMs: number }[];
  ending: 'half-close' | 'reset';
}

/** Bytes that parsers treat in a special way, and beginnings of requests and headers. */
const special = ['\r', '\n', '\r\n', '\r\n\r\n', '\0', ' ', '\t', ':', ';', ',', '0', 'a', '\x7f', '\x80', '\xff', '"'];
const pieces = [
  'Content-Length: 1\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Host: b\r\n',
  '0\r\n\r\n',
  'GET / HTTP/1.1\r\n',
];

const text = (maxLength: number) => fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes).toString('latin1'));

const bodies = fc.oneof(
  { weight: 4, arbitrary: text(60) },
  { weight: 1, arbitrary: text(3_000) },
  // Bodies that look like requests and chunks.
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom(...special, ...pieces, 'POST /generic/a HTTP/1.1\r\n'), { maxLength: 12 })
      .map((all) => all.join('')),
  },
  { weight: 1, arbitrary: fc.nat(200_000).map((size) => 'a\r\n'.repeat(size / 3)) },
);

const sizes = fc.array(fc.integer({ min: 1, max: 2_000 }), { maxLength: 8 });
const extensions = fc.constantFrom('', ';a', ';a=b', ';a="b c"');
const trailers = fc.constantFrom('', 'X-A: b\r\n', 'X-A: b\r\nX-B:\r\n');

/** A body in chunks of these sizes; the rest is one chunk. */
function inChunks(body: string, sizesOf: readonly number[], extension: string, trailer: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const size of [...sizesOf, body.length]) {
    const part = body.slice(at, at + size);
    if (part.length > 0) parts.push(`${part.length.toString(16)}${extension}\r\n${part}\r\n`);
    at += part.length;
  }
  return `${parts.join('')}0${extension}\r\n${trailer}\r\n`;
}

const headers = fc.array(
  fc.constantFrom('X-A: b', 'x-empty:', 'X-Bytes: \xe9\xff', 'Connection: keep-alive', 'Upgrade: h2c', 'Accept: */*'),
  { maxLength: 4 },
);

function requestsTo(targets: readonly Target[]): fc.Arbitrary<Generated> {
  const [ingestion, ...others] = targets;
  if (ingestion === undefined) throw new Error('there is no target');
  const target = fc.oneof(
    { weight: 5, arbitrary: fc.constant(ingestion) },
    { weight: 2, arbitrary: fc.constantFrom(...others) },
  );
  const plain = fc.record({ target, headers, body: bodies }).map(
    (it): Generated => ({
      ...it,
      text: message(it.target, [...it.headers, length(it.body)], it.body),
    }),
  );
  const inPieces = fc.record({ target, headers, body: bodies, sizes, extensions, trailers }).map(
    (it): Generated => ({
      target: it.target,
      body: it.body,
      text: message(it.target, [...it.headers, chunked], inChunks(it.body, it.sizes, it.extensions, it.trailers)),
    }),
  );
  const empty = fc.record({ target, headers }).map(
    (it): Generated => ({
      target: it.target,
      body: '',
      text: message(it.target, it.headers),
    }),
  );
  return fc.oneof({ weight: 3, arbitrary: plain }, { weight: 3, arbitrary: inPieces }, { weight: 1, arbitrary: empty });
}

const at = fc.nat(100_000);
const inserted = fc.oneof(fc.constantFrom(...special, ...pieces), text(4));
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at }),
  fc.record({ kind: fc.constant('insert' as const), at, bytes: inserted }),
  fc.record({ kind: fc.constant('replace' as const), at, bytes: inserted }),
  fc.record({ kind: fc.constant('remove' as const), at, count: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ kind: fc.constant('repeat' as const), at, count: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ kind: fc.constant('repeat line' as const), at }),
);

/** Streams of one to five requests; a third of them are sent unchanged. */
export const streamsTo = (targets: readonly Target[]): fc.Arbitrary<Stream> =>
  fc.record({
    requests: fc.array(requestsTo(targets), { minLength: 1, maxLength: 5 }),
    mutations: fc.oneof(
      { weight: 1, arbitrary: fc.constant<Mutation[]>([]) },
      { weight: 2, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 3 }) },
    ),
    writes: fc.array(fc.record({ at, pauseMs: fc.nat(4) }), { maxLength: 6 }),
    ending: fc.oneof(
      { weight: 9, arbitrary: fc.constant('half-close' as const) },
      { weight: 1, arbitrary: fc.constant('reset' as const) },
    ),
  });

/** The bytes of a stream, and how many at its beginning no mutation has touched. */
export function bytesOf({ requests, mutations }: Stream): { sent: Buffer; intact: number } {
  let sent = requests.map((request) => request.text).join('');
  let intact = sent.length;
  for (const it of mutations) {
    // Large bodies would get all mutations otherwise.
    const start = placeIn(requests, it.at) % Math.max(1, sent.length);
    intact = Math.min(intact, it.kind === 'repeat line' ? lineStart(sent, start) : start);
    sent = mutated(sent, it, start);
  }
  return { sent: Buffer.from(sent, 'latin1'), intact };
}

/** Most faults are possible near the beginning of a request. */
const nearBytes = 400;

function placeIn(requests: readonly Generated[], number: number): number {
  const index = number % requests.length;
  const before = requests.slice(0, index).reduce((sum, request) => sum + request.text.length, 0);
  const within = Math.min(nearBytes, requests[index]?.text.length ?? 1);
  return before + (Math.floor(number / requests.length) % within);
}

const lineStart = (sent: string, start: number) => sent.lastIndexOf('\n', Math.max(0, start - 1)) + 1;

function mutated(sent: string, it: Mutation, start: number): string {
  const [before, after] = [sent.slice(0, start), sent.slice(start)];
  switch (it.kind) {
    case 'cut':
      return before;
    case 'insert':
      return before + it.bytes + after;
    case 'replace':
      return before + it.bytes + after.slice(it.bytes.length);
    case 'remove':
      return before + after.slice(it.count);
    case 'repeat':
      return before + after.slice(0, it.count) + after;
    case 'repeat line': {
      const begin = lineStart(sent, start);
      const line = sent.slice(begin, sent.indexOf('\n', start) + 1);
      return sent.slice(0, begin) + line + sent.slice(begin);
    }
  }
}
