import { readFileSync } from 'node:fs';
import PostalMime from 'postal-mime';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { destinationClient } from '../support/destination-client.ts';
import { destinationTests, hookTo, kinds, mailFrom, mailTo, posts } from '../support/destination-tests.ts';
import type { TestGateway } from '../support/gateway.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const unknownId = '01900000-0000-7000-8000-000000000000';
const { withKey, withOutbox, mailService, service, tryOut } = destinationTests();

const link = (gateway: TestGateway) => `${gateway.baseUrl}/dashboard/events`;

describe('a service that accepts the message', () => {
  test.each(kinds)('%s: the answer has these fields, and one sample that is marked as a test is sent', async (type) => {
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

  test('a webhook gets a signed message about an invented event of the account, with a new id each time', async () => {
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

  test('email: SendGrid gets the message, with a payload only if the destination asks for it', async () => {
    const { answer, destination_id } = await tryOut(withKey, mailTo());
    expect(answer.data).toEqual({
      ...{ ok: true, destination_type: 'email', response_code: 202, response_body: '' },
      ...{ duration_ms: expect.any(Number), outbox_file: null },
    });
    await tryOut(withKey, mailTo(true));
    const [plain, full] = mailService.deliveries.map(({ body }) => JSON.parse(String(body)));
    expect(mailService.deliveries.map(({ url }) => url)).toEqual(['/v3/mail/send', '/v3/mail/send']);
    expect(plain).toMatchObject({
      from: { email: mailFrom },
      personalizations: [{ to: [{ email: 'on-call@ops.test' }] }],
      custom_args: { notification_id: expect.stringContaining(`.0.${destination_id}`) },
    });
    expect(plain.content[0].value).toContain(link(withKey));
    expect(plain).not.toHaveProperty('attachments');
    expect(JSON.stringify(full).length).toBeGreaterThan(JSON.stringify(plain).length);
  });

  test('email: without a key the message is written to the outbox', async () => {
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
      expect([table, await withKey.rows(`select 1 from ${table}`)]).toEqual([table, []]);
    expect((await destinationClient(withKey).listed(account.id)).map(({ id }) => id)).toEqual([destination_id]);
  });

  test('a disabled destination, and one of a disabled account, can be tested', async () => {
    const { url, deliveries } = await service();
    expect((await tryOut(withKey, { ...hookTo(url), enabled: false })).answer.status).toBe(200);
    const account = await withKey.admin.createAccount({ enabled: false });
    const { id } = await destinationClient(withKey).create(account.id, hookTo(url));
    const { status } = await withKey.admin.post(`/admin/accounts/${account.id}/destinations/${id}/test`);
    expect([status, deliveries.length]).toEqual([200, 2]);
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

  test('a body with fields and a query are 422; an empty body is accepted', async () => {
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

  test('a config that does not decrypt gives the same error as in the list', async () => {
    const { url, deliveries } = await service();
    const client = destinationClient(withKey);
    const account = await client.newAccount();
    const { id } = await client.create(account, hookTo(url));
    await withKey.rows(`update destinations set config = '\\x00' where id = $1`, [id]);
    const listed = await withKey.admin.request('GET', `/admin/accounts/${account}/destinations`);
    const tested = await post(account, id);
    expect(tested).toMatchObject({ status: 500, body: { code: 'internal', detail: expect.stringContaining(id) } });
    expect(tested.body).toEqual(listed.body);
    expect(deliveries).toEqual([]);
  });
});
