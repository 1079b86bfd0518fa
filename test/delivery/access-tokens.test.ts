import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { oauthClient } from '../../src/accounts/authentication.ts';
import { AccessTokens } from '../../src/delivery/access-tokens.ts';
import { secretText } from '../support/secrets.ts';
import { closedPort, consumer, type Seen, sender } from './servers.ts';

type Reply = (response: ServerResponse, seen: Seen) => void;

const json =
  (body: object, status = 200): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const bearer = { access_token: secretText('access-token'), token_type: 'Bearer' };

function clientOf(
  tokenUrl: string,
  more: Partial<{ scope: string; audience: string; client_auth: 'basic' | 'body' }> = {},
) {
  const client = oauthClient({
    ...{ type: 'oauth2', token_url: tokenUrl, client_id: 'the gateway', client_secret: secretText('client') },
    ...{ client_auth: 'basic', ...more },
  });
  if (!client) throw new Error('no client');
  return client;
}

/** A token endpoint with this answer, and what asks it. */
async function endpoint(answer: Reply) {
  const server = await consumer((response, seen) => answer(response, seen));
  const tokens = new AccessTokens(sender());
  const client = clientOf(server.url);
  return { ...server, client, of: (timeLimitMs = 60_000) => tokens.of(client, timeLimitMs), tokens };
}

const headerOf = ({ rawHeaders }: Seen, name: string) =>
  rawHeaders[rawHeaders.findIndex((header, n) => n % 2 === 0 && header.toLowerCase() === name) + 1];

test('the client names itself in the header, or in the body', async () => {
  const { seen, of, tokens, url } = await endpoint(json(bearer));
  expect(await of()).toEqual({ ok: true, token: bearer.access_token });
  const pair = `the+gateway:${secretText('client')}`.replaceAll('-', '%2D');
  const [first] = seen;
  if (!first) throw new Error('no request');
  expect(Buffer.from(headerOf(first, 'authorization')?.slice(6) ?? '', 'base64').toString()).toBe(pair);
  expect(String(first.body)).toBe('grant_type=client_credentials');
  await tokens.of(clientOf(url, { scope: 'a b', audience: 'https://api.test', client_auth: 'body' }), 5_000);
  expect(Object.fromEntries(new URLSearchParams(String(seen[1]?.body)))).toEqual({
    ...{ grant_type: 'client_credentials', scope: 'a b', audience: 'https://api.test' },
    ...{ client_id: 'the gateway', client_secret: secretText('client') },
  });
});

test('one request serves all that wait, and those that come later', async () => {
  const { seen, of } = await endpoint((response, one) => setTimeout(() => json(bearer)(response, one), 100));
  const all = await Promise.all(Array.from({ length: 50 }, () => of()));
  expect(new Set(all.map((token) => JSON.stringify(token))).size).toBe(1);
  await of();
  expect(seen).toHaveLength(1);
});

test('a token is renewed before it ends', async () => {
  let lifetime = 1;
  const { seen, of } = await endpoint((response, one) =>
    json({ ...bearer, access_token: `${bearer.access_token}-${seen.length}`, expires_in: lifetime })(response, one),
  );
  await of();
  // Half of the second is over.
  await new Promise((resolve) => setTimeout(resolve, 600));
  lifetime = 3600;
  const second = await of();
  expect(await of()).toEqual(second);
  expect(seen).toHaveLength(2);
});

test('a refused token is renewed, once a minute', async () => {
  const { seen, of, tokens, client } = await endpoint((response, one) =>
    json({ ...bearer, access_token: `${bearer.access_token}-${seen.length}` })(response, one),
  );
  const [first, others] = [await of(), await of()];
  expect(others).toEqual(first);
  const tokenOf = (one: typeof first) => (one.ok ? one.token : '');
  expect(tokens.refused(client, tokenOf(first))).toBe(true);
  // Attempts that were sent with the same token take the new one.
  expect(tokens.refused(client, tokenOf(first))).toBe(true);
  const second = await of();
  expect(second).not.toEqual(first);
  expect(tokens.refused(client, tokenOf(first))).toBe(true);
  expect(tokens.refused(client, tokenOf(second))).toBe(false);
  expect(await of()).toEqual(second);
  expect(seen).toHaveLength(2);
});

test('an identity token and an empty lifetime do no harm', async () => {
  const { of } = await endpoint(json({ ...bearer, id_token: 'a.b.c', expires_in: null, scope: ['x'] }));
  expect(await of()).toEqual({ ok: true, token: bearer.access_token });
});

const inBody = secretText('in-the-answer');
test.each<[string, Reply, string]>([
  [
    'an error of OAuth',
    json({ error: 'invalid_client', error_description: inBody }, 401),
    'answered 401 Unauthorized: invalid_client',
  ],
  ['an unknown error', json({ error: inBody }, 400), 'answered 400 Bad Request'],
  ['a status alone', (response) => response.writeHead(503).end(inBody), 'answered 503 Service Unavailable'],
  ['another success', json(bearer, 201), 'answered 201 Created'],
  [
    'a redirect',
    (response) => response.writeHead(302, { location: `http://${inBody}.test/` }).end(),
    'answered 302 Found',
  ],
  ['HTML', (response) => response.end(`<p>${inBody}</p>`), 'answered 200 with something that is not JSON'],
  ['nothing', (response) => response.end(), 'answered 200 with something that is not JSON'],
  [
    'too much',
    (response) => response.end(JSON.stringify({ ...bearer, more: 'x'.repeat(20_000) })),
    'answered with more than 16 KiB',
  ],
  ['no token', json({ token_type: 'Bearer', id: inBody }), 'answered 200 without a usable access_token'],
  ['a number as token', json({ ...bearer, access_token: 5 }), 'answered 200 without a usable access_token'],
  ['another type of token', json({ ...bearer, token_type: 'mac' }), 'answered 200 without a usable access_token'],
  ['a token for proofs', json({ ...bearer, token_type: 'DPoP' }), 'answered with a token that is no bearer token'],
  [
    'a token with a line end',
    json({ ...bearer, access_token: 'a\r\nb: c' }),
    'answered with a token that no header can carry',
  ],
  ['a closed connection', (response) => response.destroy(), 'closed the connection before it answered'],
])('%s is a failure with its reason and nothing of the answer', async (_, answer, reason) => {
  const { of, port } = await endpoint(answer);
  const failed = await of();
  expect(failed).toEqual({ ok: false, error: expect.stringContaining(reason) });
  expect(failed).toEqual({
    ok: false,
    error: expect.stringMatching(new RegExp(`^no access token: 127\\.0\\.0\\.1:${port} `)),
  });
  expect(JSON.stringify(failed)).not.toContain(inBody);
});

test('an endpoint that does not answer fails within the time limit of each that waits', async () => {
  const { of, seen } = await endpoint(() => undefined);
  const [long, short] = await Promise.all([of(6_000), of(5_000)]);
  expect(long).toEqual({ ok: false, error: expect.stringContaining('did not answer within 6 s') });
  expect(short).toEqual({ ok: false, error: expect.stringContaining('did not answer within 5 s') });
  expect(seen).toHaveLength(1);
});

test('an endpoint at a refused address, or without a server, is not asked', async () => {
  const refusing = new AccessTokens(sender({ allowedNetworks: [] }));
  expect(await refusing.of(clientOf('http://127.0.0.1:9/token'), 5_000)).toEqual({
    ok: false,
    error: 'no access token: 127.0.0.1 is a loopback address; DELIVERY_ALLOWED_NETWORKS does not list it',
  });
  expect(await new AccessTokens(sender()).of(clientOf(`http://127.0.0.1:${closedPort}/token`), 5_000)).toEqual({
    ok: false,
    error: `no access token: 127.0.0.1:${closedPort} refused the connection`,
  });
});
