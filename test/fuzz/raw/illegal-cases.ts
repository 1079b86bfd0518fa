import { chunked, chunks, length, message, simple, type Target } from './message.ts';

/** A request that is not legal, or not complete. */
export interface IllegalCase {
  name: string;
  /** The request, a byte for each character. Whatever the gateway takes for its body contains `body`. */
  send(target: Target, body: string): string;
  /** Whether the fault is in the body, so that a target that does not read it may answer before. */
  inBody?: boolean;
}

type Build = IllegalCase['send'];

/** Each of these header lines makes a request with a body and its length illegal. */
const withLine = (name: string, line: string): IllegalCase => ({
  name,
  send: (t, b) => message(t, [line, length(b)], b),
});
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
const targeted = (name: string, path: (target: Target) => string): IllegalCase => ({
  name: `a target ${name}`,
  send: (t, b) => message(t, [length(b)], b, { path: path(t) }),
});
const versioned = (version: string): IllegalCase => ({
  name: `the version ${JSON.stringify(version)}`,
  send: (t, b) => message(t, ['Connection: keep-alive', length(b)], b, { version }),
});
const hosted = (name: string, host: string): IllegalCase => ({
  name,
  send: (t, b) => message(t, [length(b)], b, { host }),
});
const replaced = (name: string, from: string | RegExp, to: string): IllegalCase => ({
  name,
  send: (t, b) => simple(t, b).replace(from, to),
});
const own = (name: string, send: Build): IllegalCase => ({ name, send });

const framing: IllegalCase[] = [
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

const chunking: IllegalCase[] = [
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

const lines: IllegalCase[] = [
  hosted('no Host', ''),
  own('no Host and no body', (t) => message(t, [], '', { host: '' })),
  hosted('two Hosts', 'Host: gateway\r\nHost: other\r\n'),
  hosted('two equal Hosts', 'Host: gateway\r\nhost: gateway\r\n'),
  hosted('a Host with a space', 'Host: gate way\r\n'),
  hosted('a Host with a path', 'Host: gateway/admin\r\n'),
  hosted('a Host with a user', 'Host: user@gateway\r\n'),
  hosted('a Host with bytes beyond ASCII', 'Host: \xff\xfe\r\n'),
  hosted('a Host with a port that is not a number', 'Host: gateway:http\r\n'),
  hosted('a list of Hosts', 'Host: a, b\r\n'),
  hosted('a first header that is folded', ' X-A: b\r\nHost: gateway\r\n'),
  withLine('a folded header', 'X-A: b\r\n c'),
  withLine('a space before the colon', 'X-A : b'),
  withLine('a header without a colon', 'X-A'),
  withLine('a header without a name', ': b'),
  withLine('a name with a bracket', 'X(A): b'),
  withLine('a name with a NUL', 'X\0A: b'),
  withLine('a name beyond ASCII', 'X\xe9: b'),
  withLine('a value with a NUL', 'X-A: b\0c'),
  withLine('a value with a control character', 'X-A: b\x01c'),
  withLine('a value with a CR', 'X-A: b\rX-B: c'),
  withLine('a value that ends in two CRs', 'X-A: b\r'),
  withLine('a header that ends in LF', 'X-A: b\nX-B: c'),
  withLine('a header of a megabyte', `X-A: ${'x'.repeat(1024 * 1024)}`),
  withLine('a name of a megabyte', `${'x'.repeat(1024 * 1024)}: a`),
  own('10,000 headers', (t, b) =>
    message(t, [length(b), ...Array.from({ length: 10_000 }, (_, n) => `X-${n}: ${n}`)], b),
  ),
  own('10,000 short headers before the length', (t, b) =>
    message(t, [...Array.from({ length: 10_000 }, () => 'a:'), length(b)], b),
  ),
  replaced('LF in place of every CRLF', /\r\n/g, '\n'),
  replaced('CR in place of every CRLF', /\r\n/g, '\r'),
  replaced('a request line that ends in LF', '\r\n', '\n'),
  replaced('a head that ends in CRLF and LF', '\r\n\r\n', '\r\n\n'),
  replaced('a head that ends in CRLF and CR', '\r\n\r\n', '\r\n\r'),
];

const requestLines: IllegalCase[] = [
  ...[
    'HTTP/0.9',
    'HTTP/1.2',
    'HTTP/1.10',
    'HTTP/01.1',
    'HTTP/2.0',
    'HTTP/3.0',
    'http/1.1',
    'HTTP/1.1 x',
    'HTTP 1.1',
    'HTTP/1.1\0',
    '',
  ].map(versioned),
  own('a request of HTTP/0.9', (t) => `${t.method} ${t.path}\r\n`),
  own('a request of HTTP/0.9 that ends in LF', (t) => `${t.method} ${t.path}\n`),
  own('the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'),
  own('a TLS handshake', () => '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'),
  own('a space before the method', (t, b) => ` ${simple(t, b)}`),
  own('a NUL before the method', (t, b) => `\0${simple(t, b)}`),
  ...['FOO', 'post', 'POSTX', 'P\0ST', 'P(ST)', 'POST\t', 'x'.repeat(100_000)].map((method) =>
    own(`the method ${JSON.stringify(method.slice(0, 20))}`, (t, b) => message(t, [length(b)], b, { method })),
  ),
  own('CONNECT', (t, b) => message(t, [length(b)], b, { method: 'CONNECT', path: 'gateway:80' })),
  own('CONNECT with a path', (t, b) => message(t, [length(b)], b, { method: 'CONNECT' })),
  targeted('in the authority form', () => 'gateway:80'),
  targeted('in the asterisk form', () => '*'),
  targeted('without its first slash', (t) => t.path.slice(1)),
  targeted('with another scheme', (t) => `ftp://gateway${t.path}`),
  targeted('with a scheme and no host', (t) => `http://${t.path}`),
  targeted('with a scheme and a port alone', (t) => `http://:80${t.path}`),
  targeted('with a user', (t) => `http://user:word@gateway${t.path}`),
  targeted('with a port beyond 65535', (t) => `http://gateway:99999${t.path}`),
  targeted('with half an IPv6 address', (t) => `http://[::1${t.path}`),
  targeted('with a fragment', (t) => `${t.path}#a`),
  targeted('with a space', (t) => `${t.path} a`),
  targeted('with a tab', (t) => `${t.path}\ta`),
  targeted('with a NUL', (t) => `${t.path}\0`),
  targeted('with bytes beyond ASCII', (t) => `${t.path}?\xff\xfe`),
  targeted('with backslashes', (t) => t.path.replaceAll('/', '\\')),
  targeted('that goes up', (t) => `/x/..${t.path}`),
  targeted('that goes up, encoded', (t) => `/x/%2E%2e${t.path}`),
  targeted('with a dot for a segment', (t) => `/.${t.path}`),
  targeted('of a megabyte', (t) => `${t.path}?${'x'.repeat(1024 * 1024)}`),
];

/**
 * None of these may be stored or answered by other than 4xx, and no byte after them may be taken for a request. Those
 * that RFC 9112 lets a server accept (such as a dot segment) are refused because proxies read them in other ways.
 */
export const illegalCases: IllegalCase[] = [...framing, ...chunking, ...lines, ...requestLines];
