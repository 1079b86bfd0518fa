import { type IllegalCase, own } from './illegal-case.ts';
import { chunked, chunks, message } from './message.ts';

/** Each of these makes a request with this framing illegal. */
const framed = (name: string, ...lines: string[]): IllegalCase[] => [
  {
    name: `${name}, with a plain body`,
    send: (t, b) =>
      message(
        t,
        lines.map((line) => line.replaceAll('N', String(b.length))),
        b,
      ),
  },
  {
    name: `${name}, with chunks`,
    send: (t, b) =>
      message(
        t,
        lines.map((line) => line.replaceAll('N', String(b.length))),
        chunks(b),
      ),
  },
];
const sized = (name: string, size: (length: string) => string, end = '\r\n'): IllegalCase => ({
  name: `a chunk size ${name}`,
  inBody: true,
  send: (t, b) => message(t, [chunked], `${size(b.length.toString(16))}${end}${b}\r\n0\r\n\r\n`),
});
const inChunks = (name: string, rest: (body: string, size: string) => string): IllegalCase => ({
  name,
  inBody: true,
  send: (t, b) => message(t, [chunked], rest(b, b.length.toString(16))),
});

/** Requests whose body has no certain end. */
export const framing: IllegalCase[] = [
  ...framed('both framings', 'Content-Length: N', chunked),
  ...framed('both framings the other way round', chunked, 'Content-Length: N'),
  ...framed('both framings, with a length of 0', chunked, 'Content-Length: 0'),
  ...framed('two equal lengths', 'Content-Length: N', 'Content-Length: N'),
  ...framed('two lengths', 'Content-Length: N', 'Content-Length: 1'),
  ...framed('a list of lengths', 'Content-Length: N, N'),
  ...['+N', '-N', '0xN', 'N.0', 'Ne0', 'N 0', 'N;', '"N"', '', 'N_0', '18446744073709551619', '9'.repeat(100)].flatMap(
    (value) => framed(`the length ${JSON.stringify(value)}`, `Content-Length: ${value}`),
  ),
  ...[
    'identity',
    'gzip',
    'chunked, gzip',
    'chunked, chunked',
    'xchunked',
    'chunkedx',
    'chunked;q=1',
    '"chunked"',
    'x chunked',
    '\x0bchunked',
    '',
  ].flatMap((value) => framed(`the transfer coding ${JSON.stringify(value)}`, `Transfer-Encoding: ${value}`)),
  ...framed('chunked twice', chunked, chunked),
  ...framed('chunked before another coding', chunked, 'Transfer-Encoding: gzip'),
  ...framed('identity with a length', 'Transfer-Encoding: identity', 'Content-Length: N'),
  ...framed('a space before the colon of the length', 'Content-Length : N'),
  ...framed('a space before the colon of the coding', 'Transfer-Encoding : chunked'),
  ...framed('a folded length', 'Content-Length:\r\n N'),
  ...framed('a folded coding', 'Transfer-Encoding:\r\n chunked'),
  ...framed('a length that goes on in the next line', 'Content-Length: N\r\n 0'),
  own('chunks in HTTP/1.0', (t, b) =>
    message(t, ['Connection: keep-alive', chunked], chunks(b), { version: 'HTTP/1.0' }),
  ),
];

/** Bodies in chunks that are not legal. */
export const chunking: IllegalCase[] = [
  sized('with a plus sign', (size) => `+${size}`),
  sized('with a minus sign', (size) => `-${size}`),
  sized('with 0x', (size) => `0x${size}`),
  sized('with an underscore', (size) => `0_${size}`),
  sized('after a space', (size) => ` ${size}`),
  sized('before a space', (size) => `${size} `),
  sized('that is empty', () => ''),
  sized('that is not hexadecimal', () => 'g'),
  sized('beyond 64 bits', (size) => `1${size.padStart(16, '0')}`),
  sized('that ends in LF', (size) => size, '\n'),
  sized('that ends in CR', (size) => size, '\r'),
  sized('with an extension that ends in LF', (size) => `${size};a`, '\n'),
  sized('with an LF in its extension', (size) => `${size};a\nb`),
  sized('with a CR in its extension', (size) => `${size};a\rb`),
  sized('with a NUL in its extension', (size) => `${size};a\0`),
  sized('with a quoted string that does not end', (size) => `${size};a="b`),
  sized('with an extension of 20,000 bytes', (size) => `${size};a=${'x'.repeat(20_000)}`),
  inChunks('a chunk that is longer than its size', (b) => `${(b.length - 1).toString(16)}\r\n${b}\r\n0\r\n\r\n`),
  inChunks('a chunk that is shorter than its size', (b) => `${(b.length + 1).toString(16)}\r\n${b}\r\n0\r\n\r\n`),
  inChunks('a chunk without its line break', (b, size) => `${size}\r\n${b}0\r\n\r\n`),
  inChunks('a chunk that ends in LF', (b, size) => `${size}\r\n${b}\n0\r\n\r\n`),
  inChunks('a last chunk that ends in LF', (b, size) => `${size}\r\n${b}\r\n0\n\n`),
  inChunks('an end of the body that is LF', (b, size) => `${size}\r\n${b}\r\n0\r\n\n`),
  inChunks('a trailer without a colon', (b) => chunks(b, '', 'trailer\r\n')),
  inChunks('a trailer with a length', (b) => chunks(b, '', 'Content-Length: 100\r\n')),
  inChunks('a trailer with a coding', (b) => chunks(b, '', `${chunked}\r\n`)),
  inChunks('a folded trailer', (b) => chunks(b, '', 'X-A: b\r\n c\r\n')),
  inChunks('a trailer that ends in LF', (b) => chunks(b, '', 'X-A: b\n')),
  inChunks('a trailer of 20,000 bytes', (b) => chunks(b, '', `X-A: ${'x'.repeat(20_000)}\r\n`)),
  inChunks('10,000 trailers', (b) => chunks(b, '', 'X-A: b\r\n'.repeat(10_000))),
];
