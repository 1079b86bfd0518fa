import type http from 'node:http';
import { describe, expect, test } from 'vitest';
import type { DestinationSettings } from '../../../src/notifications/destinations/destination-config.ts';
import { createMask, secretsOfUrl } from '../../../src/secrets/secret-mask.ts';
import { keptAnswerBytes } from '../../../src/shared/kept-answer.ts';
import { consumer, type Seen } from '../../delivery/servers.ts';
import { apiKey, channels, failure, mailTo, noMail, sendgridAt } from './support.ts';

/** Ways in which a service may repeat a request, each with the secrets in a different encoding. */
const echoes: [name: string, echo: (seen: Seen) => string][] = [
  ['plain', ({ path, rawHeaders }) => `${path} ${rawHeaders.join(' ')}`],
  ['decoded', ({ path, rawHeaders }) => `${decodeURIComponent(path)} ${rawHeaders.join(' ')}`],
  ['json', ({ path, rawHeaders }) => JSON.stringify({ path, decoded: decodeURIComponent(path), rawHeaders })],
  ['json with escaped slashes', ({ path }) => JSON.stringify({ path }).replaceAll('/', '\\/')],
  ['percent-encoded', ({ path, rawHeaders }) => encodeURIComponent(`${path} ${rawHeaders.join(' ')}`)],
  ['html', ({ path }) => `<a href="${path.replaceAll('&', '&amp;')}">`],
  ['small letters', ({ path, rawHeaders }) => `${path} ${rawHeaders.join(' ')}`.toLowerCase()],
  ['cut off at 16 KiB', ({ path }) => `${'x'.repeat(keptAnswerBytes - 40)}${path}`],
];

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const destinations: [name: string, at: (host: string) => DestinationSettings][] = [
  [
    'webhook',
    (host) => ({
      destination_type: 'webhook',
      config: { url: `http://${host}/very-secret-path/v?key=very-secret%20key&sig=very-secret%2Fsig`, secret },
    }),
  ],
  [
    'webhook with a user',
    (host) => ({
      destination_type: 'webhook',
      config: { url: `http://user-name:very-secret-pass@${host}/hook`, secret },
    }),
  ],
  [
    'chat_one',
    (host) => ({
      destination_type: 'chat_one',
      config: { webhook_url: `http://${host}/services/T00000000/B00000000/very-secret-token` },
    }),
  ],
  [
    'chat_two',
    (host) => ({
      destination_type: 'chat_two',
      config: { webhook_url: `http://${host}/api/webhooks/1234567/Very-Secret_Token` },
    }),
  ],
  ['email', () => mailTo(['on-call@ops.test'])],
];
const basic = Buffer.from('user-name:very-secret-pass').toString('base64');
const secrets = new RegExp(`very.{0,4}secret|MfKQ9r|user-name|T00000000|1234567|${basic}|${apiKey}`, 'i');

describe.each(destinations)('%s', (_, at) => {
  test.each(echoes)('secrets are masked when a service repeats the request, %s', async (_, echo) => {
    for (const status of [200, 400]) {
      const answer = (response: http.ServerResponse, seen: Seen) => response.writeHead(status).end(echo(seen));
      const { port } = await consumer(answer);
      const host = `127.0.0.1:${port}`;
      const said = await channels({ mail: sendgridAt(`http://${host}`) })(at(host), failure());
      expect(said.responseCode).toBe(status);
      expect(JSON.stringify(said)).not.toMatch(secrets);
    }
  });

  test('secrets in the target of a redirect are masked', async () => {
    const { port } = await consumer((response, { path }) =>
      response.writeHead(302, { location: `http://very-secret-token.test${path}` }).end(path),
    );
    const host = `127.0.0.1:${port}`;
    const said = await channels({ mail: sendgridAt(`http://${host}`) })(at(host), failure());
    expect(JSON.stringify(said)).toContain('redirects are not followed');
    const [, path = ''] = /:\d+(\/[^"]*)/.exec(JSON.stringify(at(host))) ?? [];
    if (path.length > 6) expect(JSON.stringify(said)).not.toContain(path);
  });
});

test('text without secrets stays readable', async () => {
  const { port } = await consumer((response) => response.writeHead(404).end('{"ok":false,"error":"no_service"}'));
  const webhook_url = `http://127.0.0.1:${port}/services/T00000000/B00000000/very-secret-token?raw=false`;
  const said = await channels()({ destination_type: 'chat_one', config: { webhook_url } }, failure());
  expect(said).toMatchObject({
    error: `127.0.0.1:${port} answered 404 Not Found: {"ok":false,"error":"no_service"}`,
    responseBody: '{"ok":false,"error":"no_service"}',
  });
});

test('the error names the host, even if the path repeats a part of it', async () => {
  const { port } = await consumer((response) => response.writeHead(500).end('localhost is down'));
  const settings = { destination_type: 'webhook', config: { url: `http://localhost:${port}/localhost` } } as const;
  expect(await channels()(settings, failure())).toMatchObject({
    error: `localhost:${port} answered 500 Internal Server Error: [masked] is down`,
  });
});

describe('a mask', () => {
  test('without secrets changes nothing', () => expect(createMask(['', ''])('a b')).toBe('a b'));
  test('finds every form of a secret', () => {
    const given = 'a"b\\c/dé&<e> f+%';
    const mask = createMask([given]);
    const forms = [given, JSON.stringify(given), encodeURIComponent(given), given.toUpperCase()];
    for (const form of [
      ...forms,
      'a\\"b\\\\c\\/dé&<e> f+%',
      'a\\"b\\\\c/d\\u00e9&<e> f+%',
      'a\\"b\\\\c/dé\\u0026\\u003ce\\u003e f+%',
    ])
      expect(mask(`(${form})`).replaceAll('"', '')).toBe('([masked])');
  });
  test('leaves no part of a secret where the text is cut, and at most 16 KiB', () => {
    const mask = createMask(['very-secret-value']);
    for (const length of [4, 10, 16]) {
      const part = 'very-secret-value'.slice(0, length);
      expect(mask(`${'x'.repeat(keptAnswerBytes - length)}${part}`).slice(-length)).not.toContain(part);
    }
    expect(mask(`very ${'very-sec'}`)).toBe('very very-sec');
    expect(createMask(['a'])('a'.repeat(keptAnswerBytes))).toHaveLength(keptAnswerBytes);
  });
  test('finds the secrets of a URL', () => {
    const url = 'https://me:pass@h.test/services/token-1/ab?sig=one%20two&b=true&c=xyz&bare-token#part';
    expect(secretsOfUrl(url)).toEqual([
      ...[
        url,
        '/services/token-1/ab?sig=one%20two&b=true&c=xyz&bare-token',
        Buffer.from('me:pass').toString('base64'),
        'pass',
      ],
      ...['token-1', 'one%20two', 'bare-token'],
    ]);
    expect(secretsOfUrl('https://h.test/a/b')).toEqual(['https://h.test/a/b', '/a/b']);
    expect(secretsOfUrl('https://h.test/a')).toEqual(['https://h.test/a']);
    for (const plain of ['https://h.test', 'https://h.test/', 'https://h.test/api/hook'])
      expect(secretsOfUrl(plain)).toEqual([]);
    expect(secretsOfUrl('no address')).toEqual(['no address']);
  });
});

test('without SendGrid and outbox, no e-mail is sent', async () => {
  expect(await channels({ mail: noMail })(mailTo(['a@ops.test']), failure())).toEqual({
    ...{ ok: false, outcome: 'mail_not_configured', error: 'no e-mail can be sent: set SENDGRID_API_KEY' },
    ...{ responseCode: null, responseBody: null, retryAfterMs: null, permanent: true, durationMs: 0 },
  });
});
