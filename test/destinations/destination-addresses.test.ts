import { describe, expect, test } from 'vitest';
import { createAdminClient } from '../../src/api/client.ts';
import { chat, hook, mail, setUpDestinations } from '../support/destination-client.ts';
import { secretText } from '../support/secrets.ts';

const setup = setUpDestinations();

describe('404 on every route:', () => {
  const unknownId = '01900000-0000-7000-8000-000000000000';
  async function expectNotFound(
    account: string,
    destination_id: string,
    routes = ['list', 'create', 'patch', 'delete'],
  ) {
    const one = setup.client.at(account)({ destination_id });
    const calls: Record<string, () => Promise<{ status: number; error: unknown }>> = {
      list: () => setup.client.at(account).get(),
      create: () => setup.client.at(account).post(chat),
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
    const { id } = await setup.client.create(setup.account_id, hook);
    await expectNotFound(account, id);
  });
  test.each([unknownId, 'nope', "'", '%00', '..;'])('the destination %s', async (id) => {
    await expectNotFound(setup.account_id, id, ['patch', 'delete']);
  });
  test('a destination of another account', async () => {
    const other = await setup.client.newAccount();
    const created = await setup.client.create(setup.account_id, hook);
    await expectNotFound(other, created.id, ['patch', 'delete']);
    expect(await setup.client.listed(setup.account_id)).toEqual([created]);
  });
  test('a deleted account', async () => {
    const { id } = await setup.client.create(setup.account_id, hook);
    expect((await setup.client.admin.accounts({ account_id: setup.account_id }).delete()).status).toBe(204);
    await expectNotFound(setup.account_id, id);
  });
  test.each(['%00', '%', '%ff', '0%00'])('the id %s in the path', async (id) => {
    const { id: known } = await setup.client.create(setup.account_id, hook);
    const base = `/admin/accounts/${id}/destinations`;
    const calls: [method: string, path: string, body?: unknown][] = [
      ['GET', base],
      ['POST', base, chat],
      ['PATCH', `${base}/${known}`, {}],
      ['DELETE', `${base}/${known}`],
      ['PATCH', `/admin/accounts/${setup.account_id}/destinations/${id}`, {}],
      ['DELETE', `/admin/accounts/${setup.account_id}/destinations/${id}`],
    ];
    for (const [method, path, body] of calls)
      expect([method, path, (await setup.gateway.admin.request(method, path, body)).status]).toEqual([
        method,
        path,
        404,
      ]);
  });
});

test('ids may be written in capital letters', async () => {
  const { id } = await setup.client.create(setup.account_id, hook);
  const upper = setup.account_id.toUpperCase();
  const changed = await setup.client.patch(upper, id.toUpperCase(), {
    config: { secret: secretText('plaintext-secret-2') },
  });
  expect(changed.status).toBe(200);
  await setup.client.create(upper, mail);
  expect(await setup.client.listed(setup.account_id)).toHaveLength(2);
  expect(await setup.client.listed(upper)).toEqual(await setup.client.listed(setup.account_id));
  expect((await setup.client.at(upper)({ destination_id: id.toUpperCase() }).delete()).status).toBe(204);
});

test.each([
  ['PUT', () => `/admin/accounts/${setup.account_id}/destinations`, 'GET, POST'],
  ['GET', () => `/admin/accounts/${setup.account_id}/destinations/x`, 'DELETE, PATCH'],
])('%s is 405', async (method, path, allow) => {
  const answer = await setup.gateway.admin.request(method, path(), method === 'GET' ? undefined : {});
  expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
  expect(answer.headers.get('allow')).toBe(allow);
});

test('with a wrong token every route is 401 and changes nothing', async () => {
  const { id } = await setup.client.create(setup.account_id, hook);
  const stranger = createAdminClient({ baseUrl: setup.gateway.baseUrl, token: 'wrong' });
  const destinations = stranger.accounts({ account_id: setup.account_id }).destinations;
  const one = destinations({ destination_id: id });
  for (const { error } of [
    await destinations.get(),
    await destinations.post(chat),
    await one.patch({}),
    await one.delete(),
  ])
    expect(error).toMatchObject({ status: 401, value: { code: 'unauthorized' } });
  expect(await setup.client.listed(setup.account_id)).toHaveLength(1);
});
