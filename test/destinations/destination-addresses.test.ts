import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAdminClient } from '../../src/api/client.ts';
import { chat, destinationClient, hook, mail } from '../support/destination-client.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { secretText } from '../support/secrets.ts';

let gateway: TestGateway;
let client: ReturnType<typeof destinationClient>;
let account_id: string;
beforeAll(async () => {
  gateway = await startGateway({ worker: false });
  client = destinationClient(gateway);
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  account_id = await client.newAccount();
});

describe('what is not there is 404, on every route:', () => {
  const unknownId = '01900000-0000-7000-8000-000000000000';
  async function expectNothing(
    account: string,
    destination_id: string,
    routes = ['list', 'create', 'patch', 'delete'],
  ) {
    const one = client.at(account)({ destination_id });
    const calls: Record<string, () => Promise<{ status: number; error: unknown }>> = {
      list: () => client.at(account).get(),
      create: () => client.at(account).post(chat),
      patch: () => one.patch({ name: 'New' }),
      delete: () => one.delete(),
    };
    for (const route of routes) {
      const answer = await calls[route]?.();
      expect([route, answer]).toMatchObject([
        route,
        { status: 404, data: null, error: { value: { code: 'not_found' } } },
      ]);
    }
  }
  test.each([unknownId, 'nope', "'", `${unknownId}0`, '😀'])('the account %s', async (account) => {
    const { id } = await client.create(account_id, hook);
    await expectNothing(account, id);
  });
  test.each([unknownId, 'nope', "'", '%00', '..;'])('the destination %s', async (id) => {
    await expectNothing(account_id, id, ['patch', 'delete']);
  });
  test('the destination of another account', async () => {
    const other = await client.newAccount();
    const created = await client.create(account_id, hook);
    await expectNothing(other, created.id, ['patch', 'delete']);
    expect(await client.listed(account_id)).toEqual([created]);
  });
  test('a deleted account', async () => {
    const { id } = await client.create(account_id, hook);
    expect((await client.admin.accounts({ account_id }).delete()).status).toBe(204);
    await expectNothing(account_id, id);
  });
  test.each(['%00', '%', '%ff', '0%00'])('the address %s', async (id) => {
    const { id: known } = await client.create(account_id, hook);
    const base = `/admin/accounts/${id}/destinations`;
    const calls: [method: string, path: string, body?: unknown][] = [
      ['GET', base],
      ['POST', base, chat],
      ['PATCH', `${base}/${known}`, {}],
      ['DELETE', `${base}/${known}`],
      ['PATCH', `/admin/accounts/${account_id}/destinations/${id}`, {}],
      ['DELETE', `/admin/accounts/${account_id}/destinations/${id}`],
    ];
    for (const [method, path, body] of calls)
      expect([method, path, (await gateway.admin.request(method, path, body)).status]).toEqual([method, path, 404]);
  });
});

test('ids are taken in capital letters too, and mean the same', async () => {
  const { id } = await client.create(account_id, hook);
  const upper = account_id.toUpperCase();
  const changed = await client.patch(upper, id.toUpperCase(), { config: { secret: secretText('plaintext-secret-2') } });
  expect(changed.status).toBe(200);
  await client.create(upper, mail);
  expect(await client.listed(account_id)).toHaveLength(2);
  expect(await client.listed(upper)).toEqual(await client.listed(account_id));
  expect((await client.at(upper)({ destination_id: id.toUpperCase() }).delete()).status).toBe(204);
});

test.each([
  ['PUT', () => `/admin/accounts/${account_id}/destinations`, 'GET, POST'],
  ['GET', () => `/admin/accounts/${account_id}/destinations/x`, 'DELETE, PATCH'],
])('%s is 405', async (method, path, allow) => {
  const answer = await gateway.admin.request(method, path(), method === 'GET' ? undefined : {});
  expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
  expect(answer.headers.get('allow')).toBe(allow);
});

test('without a token every route is 401, and nothing happens', async () => {
  const { id } = await client.create(account_id, hook);
  const stranger = createAdminClient({ baseUrl: gateway.baseUrl, token: 'wrong' });
  const destinations = stranger.accounts({ account_id }).destinations;
  const one = destinations({ destination_id: id });
  for (const { error } of [
    await destinations.get(),
    await destinations.post(chat),
    await one.patch({}),
    await one.delete(),
  ])
    expect(error).toMatchObject({ status: 401, value: { code: 'unauthorized' } });
  expect(await client.listed(account_id)).toHaveLength(1);
});
