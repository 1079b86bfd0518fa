import { beforeAll, expect, test } from 'vitest';
import { type AdminApiClient, createAdminClient } from '../../src/api/client.ts';
import { useGateway } from '../support/use-gateway.ts';

let admin: AdminApiClient;
const gateway = useGateway({ worker: false });
beforeAll(async () => {
  admin = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
});

const nobody = '01900000-0000-7000-8000-000000000000';

test('queries may have any of their parameters, or none', async () => {
  const account = await gateway.admin.createAccount({ app_key: 'a,b' });
  const ids: string[] = [];
  for (const n of [1, 2, 3]) ids.unshift((await gateway.send(account, `{"id":"${n}"}`)).body.id);
  const since = new Date(Date.now() - 60_000);
  const listed = async (query: NonNullable<Parameters<typeof admin.events.get>[0]>['query']) =>
    (await admin.events.get({ query })).data?.map(({ id }) => id);
  expect((await admin.events.get()).data?.map(({ id }) => id)).toEqual(ids);
  expect(await listed({ app_key: 'a,b', limit: 2 })).toEqual(ids.slice(0, 2));
  expect(await listed({ status: 'received', since, offset: 1 })).toEqual(ids.slice(1));
  expect(await listed({ until: since })).toEqual([]);
  expect((await admin.accounts.get({ query: { app_key: 'a,b' } })).data?.map(({ id }) => id)).toEqual([account.id]);
  expect((await admin['audit-logs'].get({ query: { action: 'account.list' } })).data).toHaveLength(1);
  expect((await admin['audit-logs'].delete()).data).toEqual({ deleted: 0 });
});

test('a problem is returned in `error` with its status, and `data` is null', async () => {
  const { data, error } = await admin.accounts({ account_id: nobody }).get();
  expect(data).toBeNull();
  if (error?.status !== 404) throw new Error(`it was ${error?.status}`);
  expect(error.value).toMatchObject({ code: 'not_found', status: 404, title: 'Not found' });
  const invalid = await admin.accounts.post({ provider: 'nope', account_slug: 'a', app_key: '' });
  expect(invalid.data).toBeNull();
  if (invalid.error?.status !== 422) throw new Error(`it was ${invalid.error?.status}`);
  expect(invalid.error.value.errors?.map(({ path }) => path)).toEqual(['provider', 'app_key']);
});

test('times are returned as texts, and a call without a body needs no argument', async () => {
  const account = await gateway.admin.createAccount({});
  const { body } = await gateway.send(account, 'x');
  const replayed = await admin.events({ event_id: body.id }).replay.post();
  expect([replayed.status, replayed.data?.generation]).toEqual([202, 1]);
  expect(replayed.data?.received_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect((await admin.events({ event_id: body.id }).fail.post()).data?.status).toBe('failed');
  expect((await admin.events({ event_id: body.id }).fail.post({ dead: true })).data?.status).toBe('dead');
  expect((await admin.delivery.retry({ event_id: body.id }).post()).error).toMatchObject({
    ...{ status: 409, value: { code: 'event_dead' } },
  });
});
