import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { MailSettings } from '../../src/notifications/settings.ts';
import { entriesOf } from '../support/audit.ts';
import { type Consumer, type Reply, startConsumer } from '../support/consumer.ts';
import { type Create, destinationClient } from '../support/destination-client.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { hang } from '../support/replies.ts';
import { rows } from '../support/stored.ts';

const from = 'gateway@gateway.test';
const apiKey = 'SG.very-secret-key';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const unknownId = '01900000-0000-7000-8000-000000000000';

const gateways: TestGateway[] = [];
const consumers: Consumer[] = [];
const outboxDir = mkdtempSync(join(tmpdir(), 'outbox-'));
let mailService: Consumer;
let withKey: TestGateway;
let withOutbox: TestGateway;
let withoutMail: TestGateway;

async function gatewayWith(mail: MailSettings): Promise<TestGateway> {
  const gateway = await startGateway({ worker: false, timeLimitMs: 500, mail });
  gateways.push(gateway);
  return gateway;
}

beforeAll(async () => {
  mailService = await startConsumer();
  const baseUrl = `http://127.0.0.1:${mailService.port}`;
  withKey = await gatewayWith({ from, sendgrid: { apiKey, baseUrl }, outboxDir });
  withOutbox = await gatewayWith({ from, sendgrid: null, outboxDir });
  withoutMail = await gatewayWith({ from, sendgrid: null, outboxDir: null });
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.stop();
  await mailService.close();
  rmSync(outboxDir, { recursive: true });
});
afterEach(async () => {
  mailService.deliveries.splice(0);
  mailService.replies = [202];
  await Promise.all(consumers.splice(0).map((consumer) => consumer.close()));
});

async function service(...replies: Reply[]): Promise<Consumer> {
  const started = await startConsumer(...replies);
  consumers.push(started);
  return started;
}

/** Makes an account with a destination and tries that out. */
async function tryOut(gateway: TestGateway, body: Create) {
  const client = destinationClient(gateway);
  const account = await gateway.admin.createAccount({ app_key: 'my-app' });
  const { id: destination_id } = await client.create(account.id, body);
  const answer = await client.at(account.id)({ destination_id }).test.post();
  const entries = await entriesOf(gateway.database, destination_id, 'destination.test');
  expect(entries).toHaveLength(1);
  return { account, destination_id, answer, details: entries[0]?.details };
}

const hookTo = (url: string, more: object = {}) =>
  ({ destination_type: 'webhook', name: 'Hook', config: { url, ...more } }) satisfies Create;
const mailTo = (include_payload = false) =>
  ({
    destination_type: 'email',
    name: 'Mail',
    config: { addresses: ['on-call@ops.test'], include_payload },
  }) satisfies Create;

/** Types of destinations that post to one address, with an address of each at a service. */
const posts = {
  webhook: (port: number) => hookTo(`http://127.0.0.1:${port}/very-secret-path?sig=very-secret-sig`),
  chat_one: (port: number) => ({
    ...{ destination_type: 'chat_one' as const, name: 'Chat' },
    config: { webhook_url: `http://127.0.0.1:${port}/services/T1/B1/very-secret-token` },
  }),
  chat_two: (port: number) => ({
    ...{ destination_type: 'chat_two' as const, name: 'Chat' },
    config: { webhook_url: `http://127.0.0.1:${port}/api/webhooks/12/very-secret-token` },
  }),
} satisfies Record<string, (port: number) => Create>;
const kinds = ['webhook', 'chat_one', 'chat_two'] as const;

const link = (gateway: TestGateway) => `${gateway.baseUrl}/dashboard/events`;

describe('a service that takes it', () => {
  test.each(kinds)('%s: exactly these fields, once, and a sample that says what it is', async (type) => {
    const { port, deliveries } = await service((response) => response.writeHead(201).end('taken'));
    const { answer, account, destination_id, details } = await tryOut(withKey, posts[type](port));
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({
      ...{ ok: true, destination_type: type, response_code: 201, response_body: 'taken' },
      ...{ duration_ms: expect.any(Number), outbox_file: null },
    });
    expect(details).toEqual({ account_id: account.id, destination_id, status: 200 });
    const [delivery, ...more] = deliveries;
    expect(more).toEqual([]);
    expect(String(delivery?.body)).toContain(link(withKey));
    expect(delivery?.headers['idempotency-key']).toMatch(new RegExp(`^[0-9a-f-]{36}\\.0\\.${destination_id}$`));
    expect(mailService.deliveries).toEqual([]);
  });

  test('a webhook gets a signed message about a made-up event of the account, another each time', async () => {
    const { url, deliveries } = await service();
    const client = destinationClient(withKey);
    const account = await withKey.admin.createAccount({ app_key: 'my-app' });
    const { id: destination_id } = await client.create(account.id, hookTo(url, { secret }));
    for (let n = 0; n < 2; n++) await client.at(account.id)({ destination_id }).test.post();
    const [first, second] = deliveries.map(({ body, headers }) => {
      const given = Object.entries(headers).map(([name, value]) => [name, String(value)]);
      return { headers, message: new Webhook(secret).verify(body, Object.fromEntries(given)) };
    });
    expect(first?.message).toMatchObject({
      type: 'delivery.failed',
      data: {
        event: { event_type: 'webhook_gateway.test' },
        error: 'this is a test; nothing has failed',
        attempts: 10,
        dashboard_url: link(withKey),
      },
    });
    expect(first?.headers['webhook-id']).not.toBe(second?.headers['webhook-id']);
  });

  test('email: SendGrid gets the message, with a payload only where it is asked for', async () => {
    const { answer, destination_id } = await tryOut(withKey, mailTo());
    expect(answer.data).toEqual({
      ...{ ok: true, destination_type: 'email', response_code: 202, response_body: '' },
      ...{ duration_ms: expect.any(Number), outbox_file: null },
    });
    await tryOut(withKey, mailTo(true));
    const [plain, full] = mailService.deliveries.map(({ body }) => JSON.parse(String(body)));
    expect(mailService.deliveries.map(({ url }) => url)).toEqual(['/v3/mail/send', '/v3/mail/send']);
    expect(plain).toMatchObject({
      from: { email: from },
      personalizations: [{ to: [{ email: 'on-call@ops.test' }] }],
      custom_args: { notification_id: expect.stringContaining(`.0.${destination_id}`) },
    });
    expect(plain.content[0].value).toContain(link(withKey));
    expect(plain).not.toHaveProperty('attachments');
    expect(JSON.stringify(full).length).toBeGreaterThan(JSON.stringify(plain).length);
  });

  test('email: without a key it is in the outbox', async () => {
    const { answer } = await tryOut(withOutbox, mailTo());
    expect(answer.data).toEqual({
      ...{ ok: true, destination_type: 'email', response_code: null, response_body: null },
      ...{ duration_ms: expect.any(Number), outbox_file: expect.stringMatching(/\.eml$/) },
    });
    const email = await PostalMime.parse(readFileSync(answer.data?.outbox_file ?? ''));
    expect(email.to).toEqual([{ name: '', address: 'on-call@ops.test' }]);
    expect(email.text).toContain(link(withOutbox));
    expect(mailService.deliveries).toEqual([]);
  });

  test('nothing is stored', async () => {
    const { url } = await service();
    const { account, destination_id } = await tryOut(withKey, hookTo(url));
    for (const table of ['events', 'delivery_attempts', 'event_queue'])
      expect([table, await rows(withKey.database, `select 1 from ${table}`)]).toEqual([table, []]);
    expect((await destinationClient(withKey).listed(account.id)).map(({ id }) => id)).toEqual([destination_id]);
  });

  test('a disabled destination, and one of a disabled account, are tried all the same', async () => {
    const { url, deliveries } = await service();
    expect((await tryOut(withKey, { ...hookTo(url), enabled: false })).answer.status).toBe(200);
    const account = await withKey.admin.createAccount({ enabled: false });
    const { id } = await destinationClient(withKey).create(account.id, hookTo(url));
    const { status } = await withKey.admin.post(`/admin/accounts/${account.id}/destinations/${id}/test`);
    expect([status, deliveries.length]).toEqual([200, 2]);
  });
});

describe('502', () => {
  /** The problem of a destination that did not take it, and its audit entry's details. */
  async function refusal(gateway: TestGateway, body: Create) {
    const { answer, account, destination_id, details } = await tryOut(gateway, body);
    expect(answer.response.headers.get('content-type')).toBe('application/problem+json');
    if (answer.error?.status !== 502) throw new Error(`it was ${answer.status}`);
    const problem = answer.error.value;
    expect(problem).toMatchObject({ code: 'delivery_unreachable', status: 502, title: 'What was sent was not taken' });
    const common = { account_id: account.id, destination_id, status: 502, code: 'delivery_unreachable' };
    expect(details).toEqual({ ...common, outcome: expect.any(String), response_code: problem.response_code ?? null });
    return { problem, outcome: details?.outcome };
  }

  test.each([400, 404, 429, 500])('answers with what the service said with its %i', async (status) => {
    for (const type of kinds) {
      const { port, deliveries } = await service((response, { url }) => response.writeHead(status).end(`no: ${url}`));
      const { problem, outcome } = await refusal(withKey, posts[type](port));
      expect(outcome).toBe('http_error');
      expect(problem).toMatchObject({ response_code: status, response_body: expect.stringContaining('no: ') });
      expect(problem.detail).toMatch(new RegExp(`^127\\.0\\.0\\.1:${port} answered ${status} .*: no: `));
      expect(JSON.stringify(problem)).not.toContain('very-secret');
      expect(deliveries).toHaveLength(1);
    }
  });

  test('answers with what SendGrid said', async () => {
    const answer = JSON.stringify({ errors: [{ message: `wrong sender for ${apiKey}`, field: 'from' }] });
    mailService.replies = [(response) => response.writeHead(403).end(answer)];
    const { problem } = await refusal(withKey, mailTo());
    expect(problem.detail).toBe(`127.0.0.1:${mailService.port} answered 403 Forbidden: wrong sender for [masked]`);
    expect(problem.response_body).toBe(answer.replace(apiKey, '[masked]'));
  });

  test.each<[outcome: string, words: string, url: () => Promise<string>]>([
    ['timeout', 'did not answer within 500 ms', async () => (await service(hang)).url],
    ['connection_error', 'closed the connection', async () => (await service((response) => response.destroy())).url],
    ['address_refused', 'DELIVERY_ALLOWED_NETWORKS', async () => 'http://169.254.169.254/latest/very-secret'],
    ['address_refused', 'DELIVERY_ALLOWED_NETWORKS', async () => 'http://10.0.0.1/very-secret'],
    ['dns_failure', 'could not be resolved', async () => 'http://nobody.invalid/very-secret'],
  ])('without an answer: %s, %s', async (outcome, words, url) => {
    const { problem, outcome: noted } = await refusal(withKey, hookTo(await url()));
    expect(noted).toBe(outcome);
    expect(problem.detail).toContain(words);
    expect(problem).not.toHaveProperty('response_code');
    expect(problem).not.toHaveProperty('response_body');
    expect(JSON.stringify(problem)).not.toContain('very-secret');
  });

  test('for e-mail without a key and an outbox, saying what to set', async () => {
    const { problem, outcome } = await refusal(withoutMail, mailTo());
    expect(outcome).toBe('mail_not_configured');
    expect(problem.detail).toContain('SENDGRID_API_KEY');
  });
});

describe('refused', () => {
  const post = (account: string, destination: string, body?: object, query = '') =>
    withKey.admin.post(`/admin/accounts/${account}/destinations/${destination}/test${query}`, body);

  test('unknown and malformed ids, those of another account, and those of a deleted one are 404', async () => {
    const { url, deliveries } = await service();
    const client = destinationClient(withKey);
    const [account, other, deleted] = [await client.newAccount(), await client.newAccount(), await client.newAccount()];
    const { id } = await client.create(account, hookTo(url));
    const gone = await client.create(deleted, hookTo(url));
    await withKey.admin.request('DELETE', `/admin/accounts/${deleted}`);
    const asked = [
      ...[unknownId, 'nope', '%00'].map((one) => [one, id] as const),
      ...[unknownId, 'nope', '%00'].map((one) => [account, one] as const),
      ...[[other, id] as const, [deleted, gone.id] as const],
    ];
    for (const [one, two] of asked)
      expect(await post(one, two)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(deliveries).toEqual([]);
  });

  test('a body with fields and a query are 422, an empty body passes', async () => {
    const { url, deliveries } = await service();
    const client = destinationClient(withKey);
    const account = await client.newAccount();
    const { id } = await client.create(account, hookTo(url));
    expect(await post(account, id, { url })).toMatchObject({ status: 422, body: { errors: [{ path: 'url' }] } });
    expect((await post(account, id, undefined, '?url=x')).status).toBe(422);
    expect(deliveries).toEqual([]);
    expect((await post(account, id, {})).status).toBe(200);
  });

  test('without a token it is 401', async () => {
    const { url, deliveries } = await service();
    const client = destinationClient(withKey);
    const account = await client.newAccount();
    const { id } = await client.create(account, hookTo(url));
    const address = `${withKey.baseUrl}/admin/accounts/${account}/destinations/${id}/test`;
    expect((await fetch(address, { method: 'POST' })).status).toBe(401);
    expect(deliveries).toEqual([]);
  });

  test('a config that does not decrypt is told as the list tells it', async () => {
    const { url, deliveries } = await service();
    const client = destinationClient(withKey);
    const account = await client.newAccount();
    const { id } = await client.create(account, hookTo(url));
    await rows(withKey.database, `update destinations set config = '\\x00' where id = $1`, [id]);
    const listed = await withKey.admin.request('GET', `/admin/accounts/${account}/destinations`);
    const tested = await post(account, id);
    expect(tested).toMatchObject({ status: 500, body: { code: 'internal', detail: expect.stringContaining(id) } });
    expect(tested.body).toEqual(listed.body);
    expect(deliveries).toEqual([]);
  });
});
