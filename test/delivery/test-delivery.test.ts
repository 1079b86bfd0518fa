import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { AccountRow } from '../../src/accounts/account-entity.ts';
import { AccountMasks } from '../../src/accounts/account-mask.ts';
import { ConsumerSender } from '../../src/delivery/consumer-sender.ts';
import type { SenderOptions } from '../../src/delivery/send.ts';
import { testDelivery } from '../../src/delivery/test-delivery.ts';
import { secretConfigValues } from '../../src/providers/registry.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { randomKeyring } from '../support/keyring.ts';
import { listenForTest } from '../support/listen-for-test.ts';
import { closedPort, consumer, type Seen, selfSignedConsumer, sender } from './servers.ts';

const box = createSecretBox(randomKeyring());
const masks = new AccountMasks({ box, secretValues: secretConfigValues });
const id = '01900000-0000-7000-8000-000000000000';
const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;
const sealed = (field: 'delivery_secret' | 'project_delivery_secret', secret: string) =>
  Buffer.from(box.seal(secret, { accountId: id, field }));

const account = (fields: Partial<AccountRow>): AccountRow => ({
  ...{ id, provider: 'generic', account_slug: 'acme', app_key: 'tests', org_id: null },
  ...{
    signing_secret_current: null,
    signing_secret_previous: null,
    provider_config: null,
    skip_signature_verification: false,
  },
  ...{ delivery_url: null, delivery_secret: null, project_id: null, project_delivery_url: null },
  ...{ delivery_url_credentials: null, project_delivery_url_credentials: null },
  signing_secret_previous_expires_at: null,
  ...{ project_delivery_secret: null, enabled: true, consumers_revision: 0, paused_since: null, pause_reason: null },
  ...{ created_at: new Date(), updated_at: new Date(), deleted_at: null },
  ...fields,
});

const ofDefault = { name: 'default', address: null, sealedOptions: null, options: null };

const tryOut = (fields: Partial<AccountRow>, options: Partial<SenderOptions> = {}, timeLimitMs = 60_000) =>
  testDelivery(
    { consumerSender: new ConsumerSender(sender(options)), box, masks, timeLimitMs },
    account(fields),
    ofDefault,
  );

function headersOf(seen: Seen | undefined): Record<string, string> {
  const raw = seen?.rawHeaders ?? [];
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? '']] : []));
  return Object.fromEntries(pairs);
}

describe('the request', () => {
  test('is a signed test event with the headers of a delivery', async () => {
    const secret = newSecret();
    const { url, seen } = await consumer((response) => response.writeHead(202).end('thanks'));
    const result = await tryOut({ delivery_url: url, delivery_secret: sealed('delivery_secret', secret) });
    const told = { ok: true, url, responseCode: 202, responseBody: 'thanks', durationMs: expect.any(Number) };
    expect(result).toEqual(told);
    const [request] = seen;
    const headers = headersOf(request);
    const event = {
      type: 'webhook_gateway.test',
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { account_slug: 'acme', provider: 'generic' },
    };
    const body = request?.body ?? '';
    expect(new Webhook(secret).verify(body, headers)).toEqual(event);
    expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow();
    const sent = JSON.parse(String(body));
    expect(Math.floor(Date.parse(sent.timestamp) / 1000)).toBe(Number(headers['webhook-timestamp']));
    expect(request).toMatchObject({ method: 'POST', path: '/hook' });
    expect(headers).toEqual({
      ...{ host: expect.any(String), connection: expect.any(String), 'content-length': String(body.length) },
      ...{ 'content-type': 'application/json', 'webhook-id': sent.id, 'x-webhook-external-id': sent.id },
      ...{ 'webhook-timestamp': expect.any(String), 'webhook-signature': expect.stringMatching(/^v1,/) },
      ...{ 'x-webhook-provider': 'generic', 'x-webhook-account': 'acme', 'x-webhook-consumer': 'default' },
      ...{ 'x-webhook-event-type': 'webhook_gateway.test', 'x-webhook-attempt': '1', 'x-webhook-replay': 'false' },
      'x-webhook-test': 'true',
    });
  });

  test('is a new event each time, and unsigned without a secret', async () => {
    const { url, seen } = await consumer((response) => response.end());
    for (let n = 0; n < 2; n++) expect((await tryOut({ delivery_url: url })).ok).toBe(true);
    const [one, two] = seen.map(headersOf);
    expect(one?.['webhook-id']).not.toBe(two?.['webhook-id']);
    expect(one).not.toHaveProperty('webhook-signature');
  });

  test('goes to the project, signed with its secret, if there is no delivery URL', async () => {
    const [own, project] = [newSecret(), newSecret()];
    const { url, seen } = await consumer((response) => response.end());
    const result = await tryOut({
      delivery_secret: sealed('delivery_secret', own),
      project_delivery_url: url,
      project_delivery_secret: sealed('project_delivery_secret', project),
    });
    expect(result).toMatchObject({ ok: true, url });
    const body = seen[0]?.body ?? '';
    expect(new Webhook(project).verify(body, headersOf(seen[0]))).toMatchObject({ type: 'webhook_gateway.test' });
    expect(() => new Webhook(own).verify(body, headersOf(seen[0]))).toThrow();
  });

  test('goes to the delivery URL only, if there are both', async () => {
    const own = await consumer((response) => response.writeHead(500).end());
    const project = await consumer((response) => response.end());
    const result = await tryOut({ delivery_url: own.url, project_delivery_url: project.url });
    expect(result).toMatchObject({ ok: false, url: own.url });
    expect([own.seen.length, project.seen.length]).toEqual([1, 0]);
  });
});

describe('the result', () => {
  test.each([
    [500, '500 Internal Server Error'],
    [404, '404 Not Found'],
    [302, '302 Found, a redirect to http://other.test; redirects are not followed'],
  ])('of an answer %i', async (status, words) => {
    const { url, port } = await consumer((response) =>
      response.writeHead(status, { location: 'http://other.test/?token=do-not-repeat' }).end('why not'),
    );
    const detail = `127.0.0.1:${port} answered ${words}`;
    const durationMs = expect.any(Number);
    const answer = { responseCode: status, responseBody: 'why not' };
    const told = { ok: false, outcome: 'http_error', step: 'status', detail, ...answer, url, durationMs };
    expect(await tryOut({ delivery_url: url })).toEqual(told);
  });

  test('of a consumer that hangs, after the time limit', async () => {
    const { url, port } = await consumer(() => undefined);
    expect(await tryOut({ delivery_url: url }, {}, 5_000)).toMatchObject({
      ...{ ok: false, outcome: 'timeout', step: 'answer', responseCode: null, url },
      detail: `127.0.0.1:${port} did not answer within 5 s`,
    });
  });

  test('of a closed port', async () => {
    expect(await tryOut({ delivery_url: `http://127.0.0.1:${closedPort}/` })).toMatchObject({
      ...{ ok: false, outcome: 'connection_refused', step: 'connection', responseCode: null },
      detail: `127.0.0.1:${closedPort} refused the connection`,
    });
  });

  test('of a host name without an address', async () => {
    const lookup = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    expect(await tryOut({ delivery_url: 'https://consumer.test/' }, { lookup })).toMatchObject({
      ...{ ok: false, outcome: 'dns_failure', step: 'name', responseCode: null },
      detail: 'consumer.test could not be resolved: the name has no address (ENOTFOUND)',
    });
  });

  test('of a self-signed certificate', async () => {
    const { port } = await selfSignedConsumer();
    expect(await tryOut({ delivery_url: `https://localhost:${port}/` })).toMatchObject({
      ...{ ok: false, outcome: 'tls_error', step: 'tls', responseCode: null },
      detail: expect.stringMatching(/^TLS with localhost:\d+ failed: self.signed certificate/),
    });
  });

  test('of a consumer that closes the connection', async () => {
    const port = await listenForTest(http.createServer((request) => request.socket.destroy()));
    expect(await tryOut({ delivery_url: `http://127.0.0.1:${port}/` })).toMatchObject({
      ...{ ok: false, outcome: 'connection_error', step: 'answer', responseCode: null },
      detail: `127.0.0.1:${port} closed the connection before it answered`,
    });
  });

  test('of a private address, with the setting that would allow it', async () => {
    const { url, seen } = await consumer((response) => response.end());
    expect(await tryOut({ delivery_url: url }, { allowedNetworks: [] })).toMatchObject({
      ...{ ok: false, outcome: 'address_refused', step: 'address', responseCode: null, url },
      detail: '127.0.0.1 is a loopback address; DELIVERY_ALLOWED_NETWORKS does not list it',
    });
    expect(seen).toEqual([]);
  });

  test('of an account without a delivery URL', async () => {
    const told = { ok: false, outcome: 'no_delivery_url', step: 'settings', detail: 'the account has no delivery URL' };
    expect(await tryOut({ delivery_secret: sealed('delivery_secret', 'shh') })).toEqual({
      ...told,
      ...{ responseCode: null, responseBody: null, url: null, durationMs: 0 },
    });
  });

  test.each(['delivery', 'project_delivery'] as const)('of a %s_secret that does not decrypt', async (which) => {
    const { url, seen } = await consumer((response) => response.end());
    const other = createSecretBox(randomKeyring());
    const secret = Buffer.from(other.seal('shh', { accountId: id, field: `${which}_secret` }));
    expect(await tryOut({ [`${which}_url`]: url, [`${which}_secret`]: secret })).toMatchObject({
      ...{ ok: false, outcome: 'secret_unreadable', step: 'settings', responseCode: null },
      detail: `the ${which}_secret does not decrypt with SECRETS_KEY`,
    });
    expect(seen).toEqual([]);
  });

  test.each([['ftp://do-not-repeat.test'], ['do not repeat']])('of the address %s', async (url) => {
    const told = await tryOut({ delivery_url: url });
    expect(told).toMatchObject({ ok: false, outcome: 'invalid_url', responseCode: null });
    expect('detail' in told && told.detail).toMatch(/^the URL (is not a valid|must begin with http)/);
  });

  test.each([200, 500])('contains no secret of the URL or the account, after %i', async (status) => {
    const { port, seen } = await consumer((response) => response.writeHead(status).end('signed with very-secret-key'));
    const secret = sealed('delivery_secret', 'very-secret-key');
    const url = `http://user-name:pass-word@127.0.0.1:${port}/hook?token=very-secret-token`;
    const told = await tryOut({ delivery_url: url, delivery_secret: secret });
    expect(told).toMatchObject({ ok: status === 200, url: `http://127.0.0.1:${port}/hook?…` });
    expect(JSON.stringify(told)).not.toMatch(/user-name|pass-word|very-secret/);
    expect(seen[0]?.path).toBe('/hook?token=very-secret-token');
    expect(headersOf(seen[0]).authorization).toMatch(/^Basic /);
  });
});
