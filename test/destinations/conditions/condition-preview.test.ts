import { beforeAll, describe, expect, test } from 'vitest';
import { createAdminClient } from '../../../src/api/client.ts';
import { auditTrail } from '../../support/audit-trail.ts';
import { secretText } from '../../support/secrets.ts';
import { useForAll } from '../../support/use.ts';
import { useGateway } from '../../support/use-gateway.ts';

const unknownId = '01900000-0000-7000-8000-000000000000';

let ids: string[];
const gateway = useGateway({ worker: false });
const account = useForAll(() => gateway.admin.createAccount({ account_slug: 'shop', app_key: 'my-app' }));
beforeAll(async () => {
  ids = [];
  for (const type of ['order.paid', 'order.created', 'order.paid', null])
    ids.push((await gateway.send(account, JSON.stringify({ id: ids.length, type }))).body.id);
  await gateway.rows(`update events set delivery_status = 'failed', attempts = 12, response_code = 503 where id = $1`, [
    ids[0],
  ]);
  await gateway.rows(`update events set attempts = 2, response_code = 404 where id = $1`, [ids[1]]);
  const other = await gateway.admin.createAccount({ account_slug: 'other' });
  await gateway.send(other, '{"type":"order.paid"}');
});

const preview = (condition: string, account_id = account.id) =>
  gateway.admin.post('/admin/conditions/preview', { condition, account_id });

describe('a valid condition', () => {
  test.each<[condition: string, matching: number[]]>([
    ['delivery_failed', [3, 2, 1, 0]],
    ['not delivery_failed', []],
    ['event_type == "order.paid"', [2, 0]],
    ['event_type != "order.paid"', [3, 1]],
    ['attempts == 10', [3, 2, 1]],
    ['attempts == 12', [0]],
    ['response_code in [503, 404]', [1, 0]],
    ['account_slug == "other"', []],
    ['payload.id > 1', [3, 2]],
    ['payload.type == "order.paid" and response_code == 503', [0]],
    ['exists(payload.type) and payload.type != "order.paid"', [3, 1]],
    ['exists(header["content-length"])', [3, 2, 1, 0]],
    ['header["x-region"] == "eu"', []],
  ])('%s matches the newest first, as if all attempts had failed', async (condition, matching) => {
    const { status, body } = await preview(condition);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: true, error: null, examined: 4, matching: matching.length });
    expect(body.events.map(({ id }: { id: string }) => id)).toEqual(matching.map((n) => ids[n]));
  });

  test('is not evaluated on rejected webhooks, or on the events of a deleted account with the same slug', async () => {
    const fields = {
      ...{ account_slug: 'again', skip_signature_verification: false },
      signing_secret_current: secretText('again'),
    };
    const first = await gateway.admin.createAccount({ ...fields, skip_signature_verification: true });
    await gateway.send(first, '{}');
    await gateway.admin.request('DELETE', `/admin/accounts/${first.id}`);
    const second = await gateway.admin.createAccount(fields);
    expect((await gateway.send(second, '{}')).status).toBe(401);
    expect((await preview('true', second.id)).body).toMatchObject({ ok: true, examined: 0, matching: 0, events: [] });
  });

  test('is evaluated on the newest 8 MiB of bodies if it reads them', async () => {
    const large = await gateway.admin.createAccount({ account_slug: 'large' });
    for (let id = 0; id < 10; id++)
      await gateway.send(large, JSON.stringify({ id, text: 'x'.repeat(1024 * 1024 - 2_000) }));
    expect((await preview('payload.id >= 0', large.id)).body).toMatchObject({ ok: true, examined: 8, matching: 8 });
    expect((await preview('exists(header["content-length"])', large.id)).body).toMatchObject({ examined: 10 });
    expect((await preview('true', large.id)).body).toMatchObject({ examined: 10, matching: 10 });
  });

  test('shows 20 events of all that it matches', async () => {
    const many = await gateway.admin.createAccount({ account_slug: 'many' });
    await Promise.all(Array.from({ length: 25 }, (_, id) => gateway.send(many, JSON.stringify({ id }))));
    const { body } = await preview('true', many.id);
    expect([body.examined, body.matching, body.events.length]).toEqual([25, 25, 20]);
  });
});

test.each<[condition: string, line: number, column: number, offset: number, message: string]>([
  ['', 1, 1, 0, 'expected a condition, found the end'],
  ['provider == 5', 1, 13, 12, 'expected a text in quotes, found 5'],
  ['provider == "😀" and\n(', 2, 2, 22, 'expected a condition, found the end'],
  ['provider == "😀" or 5x', 1, 20, 20, 'expected a number such as 503, -7 or 12.5, found 5x'],
  ['true \0', 1, 6, 5, 'expected ==, !=, in, and, or or the end, found U+0000'],
  ['x'.repeat(1001), 1, 1001, 1000, 'expected at most 1000 characters, found 1001'],
])('the mistake in %j is an answer, with its place', async (condition, line, column, offset, message) => {
  const { status, body } = await preview(condition);
  expect([status, body]).toEqual([
    200,
    { ok: false, error: { line, column, offset, message }, examined: 0, matching: 0, events: [] },
  ]);
});

test('names for completion have the values of the account, the most frequent ones first', async () => {
  const { status, body } = await gateway.admin.request('GET', `/admin/conditions/names?account_id=${account.id}`);
  expect(status).toBe(200);
  expect(body).toEqual({
    variables: [
      { name: 'delivery_failed', kind: 'boolean', values: [] },
      { name: 'provider', kind: 'text', values: ['generic'] },
      { name: 'event_type', kind: 'text', values: ['order.paid', 'order.created'] },
      { name: 'account_slug', kind: 'text', values: ['shop'] },
      { name: 'app_key', kind: 'text', values: ['my-app'] },
      { name: 'consumer', kind: 'text', values: ['default'] },
      { name: 'attempts', kind: 'integer', values: [] },
      { name: 'response_code', kind: 'integer', values: expect.toSatisfy((codes) => codes.length === 2) },
    ],
    methods: ['startswith', 'endswith', 'contains'],
    functions: ['exists', 'matches'],
    contents: expect.arrayContaining(['payload.id', 'payload.type', 'header["content-type"]']),
    operators: ['==', '!=', '<', '<=', '>', '>=', 'in', 'and', 'or', 'not'],
  });
});

test('names without an account have no values; the typed client lists them', async () => {
  const admin = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
  const { data } = await admin.conditions.names.get({ query: {} });
  expect(data?.variables.flatMap(({ values }) => values)).toEqual([]);
});

test('an account that does not exist is 404, and the audit log has no condition', async () => {
  const entries = auditTrail(gateway.database);
  await entries();
  expect(await preview('provider == "do-not-keep"', unknownId)).toMatchObject({
    ...{ status: 404, body: { code: 'not_found' } },
  });
  const names = await gateway.admin.request('GET', `/admin/conditions/names?account_id=${unknownId}`);
  expect(names.status).toBe(404);
  const left = await entries();
  expect(left).toMatchObject([
    { action: 'condition.preview', details: { status: 404, account_id: unknownId } },
    { action: 'condition.names', details: { status: 404 } },
  ]);
  expect(JSON.stringify(left)).not.toContain('do-not-keep');
});
