import { Webhook } from 'standardwebhooks';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AdminApiClient, createAdminClient } from '../../src/api/client.ts';
import { entriesOf } from '../support/audit.ts';
import { type Consumer, type Delivery, type Reply, startConsumer } from '../support/consumer.ts';
import { hang } from '../support/replies.ts';
import { secretText } from '../support/secrets.ts';
import { storeDeliveryUrl } from '../support/store-address.ts';
import { useGateway } from '../support/use-gateway.ts';

let admin: AdminApiClient;
const consumers: Consumer[] = [];
const gateway = useGateway({ worker: false });
beforeAll(async () => {
  admin = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
});
afterEach(async () => {
  await Promise.all(consumers.splice(0).map((consumer) => consumer.close()));
});

const current = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const project = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

async function consumer(...replies: Reply[]): Promise<Consumer> {
  const started = await startConsumer(...replies);
  consumers.push(started);
  return started;
}

const verify = (secret: string, { body, headers }: Delivery) => {
  const given = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return new Webhook(secret).verify(body, Object.fromEntries(given));
};

async function tryOut({ stored_url, ...fields }: Record<string, unknown>) {
  const { id } = await gateway.admin.createAccount(fields);
  if (typeof stored_url === 'string') await storeDeliveryUrl(gateway, id, stored_url);
  return { id: String(id), answer: await admin.accounts({ account_id: id })['test-delivery'].post() };
}

/** The 502 problem of a test delivery that failed, and the details of its audit entry. */
async function refusal(fields: Record<string, unknown>) {
  const { id, answer } = await tryOut(fields);
  expect(answer.data).toBeNull();
  expect(answer.response.headers.get('content-type')).toBe('application/problem+json');
  if (answer.error?.status !== 502) throw new Error(`it was ${answer.status}`);
  const problem = answer.error.value;
  expect(problem).toMatchObject({ code: 'delivery_unreachable', status: 502, type: 'about:blank' });
  const entries = await entriesOf(gateway.database, id, 'account.test_delivery');
  expect(entries).toHaveLength(1);
  expect(entries[0]?.details).toMatchObject({ account_id: id, status: 502 });
  return { problem, details: entries[0]?.details };
}

/** No process ever listens on port 1. A port that is merely free now could be given to another test. */
const closedPort = '127.0.0.1:1';

describe('a consumer that answers 2xx', () => {
  test.each([200, 204, 299])('%i: exactly these fields, once, and a signature that verifies', async (status) => {
    const { url, deliveries } = await consumer(status);
    const { id, answer } = await tryOut({ delivery_url: url, delivery_secret: current });
    expect(answer.status).toBe(200);
    const said = { response_code: status, response_body: '' };
    expect(answer.data).toEqual({ ok: true, url, ...said, duration_ms: expect.any(Number) });
    expect(answer.data?.duration_ms).toBeGreaterThanOrEqual(0);
    const [delivery, ...more] = deliveries;
    if (!delivery) throw new Error('nothing came');
    expect(more).toEqual([]);
    expect(verify(current, delivery)).toMatchObject({ type: 'webhook_gateway.test' });
    expect(() => verify(project, delivery)).toThrow();
    expect(delivery.headers['x-webhook-test']).toBe('true');
    expect(await entriesOf(gateway.database, id, 'account.test_delivery')).toEqual([
      { actor: 'tester', action: 'account.test_delivery', details: { account_id: id, status: 200 } },
    ]);
  });

  test('the test delivery is not an event: nothing is stored', async () => {
    const { url } = await consumer();
    const { id } = await tryOut({ delivery_url: url });
    for (const table of ['events', 'delivery_attempts', 'event_queue'])
      expect([table, await gateway.rows(`select 1 from ${table}`)]).toEqual([table, []]);
    expect((await admin.accounts({ account_id: id }).get()).data).toMatchObject({ id, delivery_url: url });
  });

  test('without a delivery URL, the project’s URL and secret are used', async () => {
    const { url, deliveries } = await consumer();
    const urls = { delivery_secret: current, project_delivery_url: url, project_delivery_secret: project };
    expect((await tryOut(urls)).answer.data).toMatchObject({ ok: true, url });
    const [delivery] = deliveries;
    if (!delivery) throw new Error('nothing came');
    expect(verify(project, delivery)).toMatchObject({ type: 'webhook_gateway.test' });
    expect(() => verify(current, delivery)).toThrow();
  });

  test('when the account’s own URL fails, the project’s URL is not tried', async () => {
    const [own, fallback] = [await consumer(503), await consumer()];
    await refusal({ delivery_url: own.url, project_delivery_url: fallback.url });
    expect([own.deliveries.length, fallback.deliveries.length]).toEqual([1, 0]);
  });

  test('a disabled account can be tested', async () => {
    const { url } = await consumer();
    expect((await tryOut({ delivery_url: url, enabled: false })).answer.status).toBe(200);
  });
});

describe('502', () => {
  test.each([500, 404, 429, 302])('with what the consumer answered: %i', async (status) => {
    const { url, deliveries } = await consumer((response) =>
      response.writeHead(status, { location: 'https://other.test/?k=do-not-repeat' }).end('no such hook'),
    );
    const { problem, details } = await refusal({ delivery_url: url });
    expect(problem).toMatchObject({ response_code: status, response_body: 'no such hook' });
    expect(problem.detail).toContain(`answered ${status}`);
    expect(details).toMatchObject({ outcome: 'http_error', response_code: status });
    expect(JSON.stringify([problem, details])).not.toContain('do-not-repeat');
    expect(JSON.stringify(details)).not.toContain('no such hook');
    expect(deliveries).toHaveLength(1);
  });

  test('only the beginning of a long answer is shown', async () => {
    const { url } = await consumer((response) => response.writeHead(500).end('x'.repeat(100_000)));
    const { problem } = await refusal({ delivery_url: url });
    expect(problem.response_body).toBe('x'.repeat(16 * 1024));
  });

  test.each<[outcome: string, words: string, fields: () => Promise<Record<string, unknown>>]>([
    ['connection_refused', 'refused', async () => ({ delivery_url: `http://${closedPort}/hook` })],
    ['timeout', 'did not answer within', async () => ({ delivery_url: (await consumer(hang)).url })],
    ['connection_error', 'closed', async () => ({ delivery_url: (await consumer((r) => r.destroy())).url })],
    ['no_delivery_url', 'no delivery URL', async () => ({ delivery_secret: current })],
    ['address_refused', 'DELIVERY_ALLOWED_NETWORKS', async () => ({ stored_url: 'http://10.0.0.1/' })],
    ['address_refused', 'DELIVERY_ALLOWED_NETWORKS', async () => ({ stored_url: 'http://169.254.169.254/latest' })],
    ['dns_failure', 'could not be resolved', async () => ({ delivery_url: 'http://nobody.invalid/' })],
  ])('without a status: %s, %s', async (outcome, words, fields) => {
    const { problem, details } = await refusal(await fields());
    expect(problem).not.toHaveProperty('response_code');
    expect(problem).not.toHaveProperty('response_body');
    expect(problem.detail).toContain(words);
    expect(details).toMatchObject({ outcome, response_code: null });
  });
});

describe('credentials of the URL', () => {
  const secrets = /user-name|pass-word|very-secret/;
  test.each([200, 500])(
    'are sent, and not shown after %i, also where the consumer repeats the password',
    async (status) => {
      const { port, deliveries } = await consumer((response) => response.writeHead(status).end('user-name:pass-word'));
      const delivery_url = `http://user-name:pass-word@127.0.0.1:${port}/hook?token=very-secret#very-secret`;
      const { id, answer } = await tryOut({ delivery_url, delivery_secret: secretText('very-secret') });
      expect(answer.status).toBe(status === 200 ? 200 : 502);
      const entries = await entriesOf(gateway.database, id, 'account.test_delivery');
      expect(entries).toHaveLength(1);
      expect(JSON.stringify([answer.data, answer.error?.value, entries])).not.toMatch(secrets);
      expect(answer.data ?? answer.error?.value).toMatchObject({ response_body: '[masked]' });
      if (status === 200) expect(answer.data?.url).toBe(`http://127.0.0.1:${port}/hook?…`);
      expect(deliveries[0]?.url).toBe('/hook?token=very-secret');
      expect(deliveries[0]?.headers.authorization).toMatch(/^Basic /);
    },
  );
  test('are not shown when the consumer cannot be reached', async () => {
    const delivery_url = `http://user-name:pass-word@${closedPort}/hook?token=very-secret`;
    expect(JSON.stringify(await refusal({ delivery_url }))).not.toMatch(secrets);
  });
});

describe('refused', () => {
  test('unknown, malformed and deleted accounts are 404', async () => {
    const { id } = await gateway.admin.createAccount({ delivery_url: (await consumer()).url });
    await admin.accounts({ account_id: id }).delete();
    for (const account_id of [id, '01900000-0000-7000-8000-000000000000', 'nope', '%00']) {
      const { error } = await admin.accounts({ account_id })['test-delivery'].post();
      expect(error).toMatchObject({ status: 404, value: { code: 'not_found' } });
    }
    expect(consumers[0]?.deliveries).toEqual([]);
  });
  test('a body with fields and a query are 422; an empty body is accepted', async () => {
    const { url, deliveries } = await consumer();
    const { id } = await gateway.admin.createAccount({ delivery_url: url });
    const path = `/admin/accounts/${id}/test-delivery`;
    expect(await gateway.admin.post(path, { url: 'http://a.test' })).toMatchObject({
      ...{ status: 422, body: { errors: [{ path: 'url' }] } },
    });
    expect((await gateway.admin.post(`${path}?url=x`)).status).toBe(422);
    expect(deliveries).toEqual([]);
    expect((await gateway.admin.post(path, {})).status).toBe(200);
  });
});
