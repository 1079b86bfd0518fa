import { type IllegalCase, own } from './illegal-case.ts';
import { length, message, simple, type Target } from './message.ts';

/** Each of these header lines makes a request with a body and its length illegal. */
const withLine = (name: string, line: string): IllegalCase => ({
  name,
  send: (t, b) => message(t, [line, length(b)], b),
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

/** Header lines that are not legal, are too many, or are missing. */
export const lines: IllegalCase[] = [
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

/** First lines that are not legal. */
export const requestLines: IllegalCase[] = [
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
