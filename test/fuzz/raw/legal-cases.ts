import { chunked, chunks, length, message, simple, type Target } from './message.ts';

/** A legal request, which is served, and its body stored byte by byte. */
export interface LegalCase {
  name: string;
  /** The request with this body, a byte for each character. */
  send(target: Target, body: string): string;
  /** The status where it is not the target's. */
  status?: number;
  /** Statuses of 1xx before the answer, where the body is read. */
  interim?: number[];
  /** Whether the gateway must close the connection after the answer. */
  closes?: boolean;
  /** Whether the bodies are stored: false where the request is refused, though legal. */
  isStored?: boolean;
  isHead?: boolean;
  /** The targets that this is about; all by default. */
  only?: Target['name'][];
}

const keepAlive = 'Connection: keep-alive';
const body1mib = 1024 * 1024;

/** RFC 9112 allows all of these. */
export const legalCases: LegalCase[] = [
  { name: 'a body with its length', send: simple },
  { name: 'a length with leading zeros', send: (t, b) => message(t, [`Content-Length: 000${b.length}`], b) },
  {
    name: 'a length with spaces and tabs around it',
    send: (t, b) => message(t, [`Content-Length: \t ${b.length} \t`], b),
  },
  { name: 'no body', send: (t) => message(t, []), isStored: false },
  { name: 'names in any case', send: (t, b) => message(t, [`cOnTeNt-LeNgTh: ${b.length}`], b) },
  { name: 'chunks', send: (t, b) => message(t, [chunked], chunks(b)) },
  {
    name: 'chunks of one byte',
    send: (t, b) => message(t, [chunked], `${[...b].map((c) => `1\r\n${c}\r\n`).join('')}0\r\n\r\n`),
  },
  { name: 'chunked in any case', send: (t, b) => message(t, ['TRANSFER-ENCODING: ChUnKeD'], chunks(b)) },
  {
    name: 'a chunk size in any case, with leading zeros',
    send: (t, b) =>
      message(t, [chunked], `${'0'.repeat(40)}${b.length.toString(16).toUpperCase()}\r\n${b}\r\n000\r\n\r\n`),
  },
  {
    name: 'a chunk size of 100,000 digits',
    send: (t, b) => message(t, [chunked], `${'0'.repeat(100_000)}${chunks(b)}`),
  },
  { name: 'chunk extensions', send: (t, b) => message(t, [chunked], chunks(b, ';a;b=c;d="e;\\"f"')) },
  {
    name: 'a chunk extension of 10,000 bytes',
    send: (t, b) => message(t, [chunked], chunks(b, `;a=${'x'.repeat(10_000)}`)),
  },
  { name: 'trailers', send: (t, b) => message(t, [chunked], chunks(b, '', 'X-Trailer: a\r\nX-Other: \r\n')) },
  {
    name: 'trailers with names that are not allowed there',
    send: (t, b) => message(t, [chunked], chunks(b, '', 'Host: other\r\nUpgrade: x\r\nExpect: 100-continue\r\n')),
  },
  { name: 'bytes beyond ASCII in a value', send: (t, b) => message(t, ['X-Name: \xff\xfe\xc3', length(b)], b) },
  {
    name: '300 headers',
    send: (t, b) => message(t, [...Array.from({ length: 300 }, (_, n) => `X-${n}: ${n}`), length(b)], b),
  },
  { name: 'a header of 12,000 bytes', send: (t, b) => message(t, [`X-Long: ${'x'.repeat(12_000)}`, length(b)], b) },
  {
    name: 'a query of 12,000 bytes',
    send: (t, b) => message(t, [length(b)], b, { path: `${t.path}?${'x'.repeat(12_000)}` }),
    only: ['ingestion', 'dashboard', 'unknown'],
  },
  { name: 'a repeated header', send: (t, b) => message(t, ['X-A: 1', 'X-A: 2', length(b)], b) },
  { name: 'Content_Length, which is another header', send: (t, b) => message(t, ['Content_Length: 1', length(b)], b) },
  { name: 'empty lines before the request', send: (t, b) => `\r\n\r\n${simple(t, b)}` },
  { name: 'an empty Host', send: (t, b) => message(t, [length(b)], b, { host: 'Host:\r\n' }) },
  { name: 'a Host with a port', send: (t, b) => message(t, [length(b)], b, { host: 'Host: a_b.example:8080\r\n' }) },
  { name: 'an IPv6 address as Host', send: (t, b) => message(t, [length(b)], b, { host: 'Host: [::1]:80\r\n' }) },
  { name: 'the absolute form', send: (t, b) => message(t, [length(b)], b, { path: `http://gateway${t.path}` }) },
  {
    name: 'the absolute form with https, a port and capitals',
    send: (t, b) => message(t, [length(b)], b, { path: `HTTPS://Other.Example:443${t.path}` }),
  },
  {
    name: 'the absolute form without a path',
    send: (t, b) => message(t, [length(b)], b, { path: 'http://gateway?a=/b' }),
    status: 404,
    isStored: false,
    only: ['dashboard'],
  },
  {
    name: 'OPTIONS for the server',
    send: (t, b) => message(t, [length(b)], b, { method: 'OPTIONS', path: '*' }),
    status: 404,
    isStored: false,
    only: ['unknown'],
  },
  {
    name: 'HEAD',
    send: (t) => message(t, [], '', { method: 'HEAD' }),
    isHead: true,
    isStored: false,
    only: ['dashboard', 'admin'],
  },
  {
    name: 'a method that is not allowed',
    send: (t, b) => message(t, [length(b)], b, { method: 'PROPFIND' }),
    status: 405,
    isStored: false,
    only: ['ingestion', 'dashboard', 'admin'],
  },
  {
    name: 'an upgrade to WebSocket',
    send: (t, b) =>
      message(
        t,
        [
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
          'Sec-WebSocket-Version: 13',
          length(b),
        ],
        b,
      ),
    closes: true,
  },
  {
    name: 'an upgrade to h2c without a body',
    send: (t) => message(t, ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']),
    closes: true,
    isStored: false,
  },
  {
    name: 'an upgrade with chunks',
    send: (t, b) => message(t, ['Connection: Upgrade', 'Upgrade: h2c', chunked], chunks(b)),
    closes: true,
  },
  { name: 'Expect: 100-continue', send: (t, b) => message(t, ['Expect: 100-Continue', length(b)], b), interim: [100] },
  { name: 'an empty Expect', send: (t, b) => message(t, ['Expect:', length(b)], b) },
  {
    name: 'an unknown Expect',
    send: (t, b) => message(t, ['Expect: 200-ok', length(b)], b),
    status: 417,
    isStored: false,
    closes: true,
  },
  {
    name: 'an unknown Expect with chunks',
    send: (t, b) => message(t, ['Expect: a, b', chunked], chunks(b)),
    status: 417,
    isStored: false,
    closes: true,
  },
  {
    name: 'a transfer coding that is not implemented',
    send: (t, b) => message(t, ['Transfer-Encoding: gzip, chunked'], chunks(b)),
    status: 501,
    isStored: false,
    closes: true,
  },
  {
    name: 'transfer codings in two headers',
    send: (t, b) => message(t, ['Transfer-Encoding: gzip', chunked], chunks(b)),
    status: 501,
    isStored: false,
    closes: true,
  },
  { name: 'HTTP/1.0', send: (t, b) => message(t, [length(b)], b, { version: 'HTTP/1.0', host: '' }), closes: true },
  {
    name: 'HTTP/1.0 that keeps the connection',
    send: (t, b) => message(t, [keepAlive, length(b)], b, { version: 'HTTP/1.0' }),
  },
  {
    name: 'HTTP/1.0 with Expect, which it does not know',
    send: (t, b) => message(t, [keepAlive, 'Expect: 100-continue', length(b)], b, { version: 'HTTP/1.0' }),
  },
  {
    name: 'Connection: close',
    send: (t, b) => message(t, ['Connection: keep-alive, close', length(b)], b),
    closes: true,
  },
  {
    name: 'a length beyond the limit',
    send: (t, b) => message(t, ['Content-Length: 9007199254740993'], b),
    status: 413,
    isStored: false,
    closes: true,
    only: ['ingestion'],
  },
  {
    name: 'chunks beyond the limit',
    send: (t, b) => message(t, [chunked], `${(body1mib + 1).toString(16)}\r\n${b.padEnd(body1mib + 1)}\r\n0\r\n\r\n`),
    status: 413,
    isStored: false,
    only: ['ingestion'],
  },
];
