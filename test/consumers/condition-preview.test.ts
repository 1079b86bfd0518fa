import { beforeAll, expect, test } from 'vitest';
import { useGateway } from '../support/use-gateway.ts';
import { consumersOf } from './support.ts';

// What the editor of a consumer's condition asks for: `of` is `consumer`.

const gateway = useGateway({ worker: false, apiDelivers: false });
let accountId: string;
const ids: string[] = [];
beforeAll(async () => {
  const account = await gateway.admin.createAccount({ delivery_url: 'http://127.0.0.1:9/' });
  accountId = account.id;
  await consumersOf(gateway, accountId).made('billing', { condition: 'payload.n == 1' });
  await consumersOf(gateway, accountId).patch('default', { condition: 'payload.n < 3' });
  // Two events, one event, and one that no consumer gets.
  for (const n of [1, 2, 3]) {
    const { status, body } = await gateway.send(account, JSON.stringify({ id: `id-${n}`, type: `type-${n}`, n }));
    expect(status).toBe(202);
    ids.push(body.id);
  }
});

const preview = (condition: string, of?: string) =>
  gateway.admin.post('/admin/conditions/preview', { condition, account_id: accountId, ...(of ? { of } : {}) });
const idsOf = ({ body }: Awaited<ReturnType<typeof preview>>) => body.events.map(({ id }: { id: string }) => id);

test('is evaluated on each webhook once, also on those that no consumer got', async () => {
  const all = await preview('exists(payload.n)', 'consumer');
  expect(all.body).toMatchObject({ ok: true, error: null, examined: 3, matching: 3 });
  expect(idsOf(all)).toEqual(ids.toReversed());
  expect(idsOf(await preview('payload.n != 2 and external_id != "id-1"', 'consumer'))).toEqual([ids[2]]);
  expect(idsOf(await preview('event_type in ["type-1", "type-2"]', 'consumer'))).toEqual([ids[1], ids[0]]);
});

test('of a destination is evaluated on the events of consumers', async () => {
  for (const owner of [undefined, 'destination'])
    expect((await preview('delivery_failed', owner)).body).toMatchObject({ examined: 3, matching: 3 });
});

test('names that only the other has are a mistake, with the place and the names', async () => {
  expect((await preview('true and attempts > 3', 'consumer')).body).toMatchObject({
    ...{ ok: false, examined: 0, events: [] },
    error: {
      ...{ line: 1, column: 10, offset: 9 },
      message:
        'expected one of provider, account_slug, app_key, event_type, external_id, payload, header, exists, matches, found attempts',
    },
  });
  expect((await preview('external_id == "a"')).body).toMatchObject({ ok: false, error: { column: 1 } });
  expect(await preview('true', 'other')).toMatchObject({ status: 422, body: { errors: [{ path: 'of' }] } });
});

test('names for completion are those of consumers, with values of webhooks', async () => {
  const { body } = await gateway.admin.request('GET', `/admin/conditions/names?account_id=${accountId}&of=consumer`);
  const values = Object.fromEntries(
    body.variables.map((variable: { name: string; values: unknown[] }) => [variable.name, variable.values]),
  );
  expect(Object.keys(values)).toEqual(['provider', 'account_slug', 'app_key', 'event_type', 'external_id']);
  expect(values.event_type.toSorted()).toEqual(['type-1', 'type-2', 'type-3']);
  expect(values.external_id).toEqual([]);
  expect(body.contents).toContain('payload.n');
  const bare = await gateway.admin.request('GET', '/admin/conditions/names');
  expect(bare.body.variables.map(({ name }: { name: string }) => name)).toContain('delivery_failed');
});
