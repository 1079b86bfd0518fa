import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { maintenanceTaskNames } from '../../src/maintenance/tasks.ts';
import { type AdminOperation, adminOperations, bodyOf, operationIdOf, pathOf } from '../support/admin-operations.ts';
import { auditTrail, type TrailEntry } from '../support/audit-trail.ts';
import { backupFolder } from '../support/backup-folder.ts';
import { groupsOf } from '../support/groups-of.ts';
import { isEngineLate, scheduled } from '../support/maintenance.ts';
import { type RawAnswer, rawRequest } from '../support/raw-http.ts';
import { createResources, type ResourceIds } from '../support/resources.ts';
import { until } from '../support/until.ts';
import { useConsumer, useGateway } from '../support/use-gateway.ts';

const unknownId = '01900000-0000-7000-8000-000000000000';

let entries: () => Promise<TrailEntry[]>;
const operations = await adminOperations();
const consumer = useConsumer();
// The worker creates the schedules, which the operations need. It is stopped so that nothing else changes rows.
const gateway = useGateway({ maintenance: { backupDir: backupFolder() }, trustedProxies: ['127.0.0.1'] });
beforeAll(async () => {
  for (const name of maintenanceTaskNames) await scheduled(gateway, name);
  await gateway.stopWorker();
  const trail = auditTrail(gateway.database);
  // Without the counts of repeated reads, which come at intervals.
  entries = async () => (await trail()).filter(({ details }) => details.calls === undefined);
});

interface Sent {
  method: string;
  path: string;
  /** Sent as JSON unless it is a string. */
  body?: unknown;
  headers?: Record<string, string>;
}

let addresses = 0;
/**
 * Sends one request with the token. Returns its answer and its single audit entry. It comes from an address of its own,
 * because a read that repeats is only counted.
 */
async function audited({ method, path, body, headers = {} }: Sent): Promise<{ answer: RawAnswer; entry: TrailEntry }> {
  await entries();
  const address = `2001:db8::${(++addresses).toString(16)}`;
  const before = Date.now();
  const answer = await rawRequest(gateway.baseUrl, {
    ...{ method, path },
    headers: {
      ...{ 'x-admin-token': gateway.adminToken, 'x-forwarded-for': address },
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const after = Date.now();
  const left = await entries();
  expect(left.map(({ action, details }) => ({ action, details }))).toHaveLength(1);
  const [entry] = left;
  if (!entry) throw new Error('there is no entry');
  expect(entry).toMatchObject({ actor: 'tester', ip_address: address });
  expect(entry.created_at.getTime()).toBeGreaterThanOrEqual(before);
  expect(entry.created_at.getTime()).toBeLessThanOrEqual(after);
  return { answer, entry };
}

/** The ids of a path, which the entry must contain. */
const idsIn = (operation: AdminOperation, values: Record<string, string>) =>
  Object.fromEntries(operation.parameters.map((name) => [name, values[name]]));

const fresh = (): Promise<ResourceIds> => createResources(gateway, consumer.url);
const withParameters = operations.filter(({ parameters }) => parameters.length > 0);
const named = (list: AdminOperation[]) => list.map((operation) => [operation.id, operation] as const);

test('the OpenAPI document has operations, each with a unique id', () => {
  expect(operations.length).toBeGreaterThanOrEqual(25);
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
});

describe('one entry, with the ids of the request', () => {
  test.each(named(operations))('%s that succeeds', async (id, operation) => {
    const values = await fresh();
    const { answer, entry } = await until('Temporal answers in time', async () => {
      const one = await audited({
        method: operation.method,
        path: pathOf(operation, values),
        body: bodyOf(operation, values),
      });
      return !isEngineLate(one.answer) && one;
    });
    expect(operation.successes, answer.text).toContain(answer.status);
    expect(operationIdOf(entry.action)).toBe(id);
    expect(entry.details).toMatchObject(idsIn(operation, values));
    // The entry of a purge also has the number of deleted entries.
    if (id === 'auditPurge') expect(entry.details).toMatchObject({ older_than_days: 90, deleted: 0 });
    else expect(entry.details.status).toBe(answer.status);
    const made: Record<string, string> = {
      accountCreate: 'account_id',
      consumerCreate: 'consumer_id',
      destinationCreate: 'destination_id',
    };
    const name = made[id];
    if (name) expect(entry.details[name]).toBe(answer.body.id);
  });

  test.each(named(withParameters))('%s of a missing resource', async (id, operation) => {
    for (const unknown of [unknownId, 'nope', '%27%20or', 'x'.repeat(5_000)]) {
      const values = {
        account_id: unknown,
        destination_id: unknown,
        event_id: unknown,
        incident_id: unknown,
        job_id: unknown,
        token_id: unknown,
        name: unknown,
        rejected_id: unknown,
        consumer: unknown,
      };
      const { answer, entry } = await audited({
        method: operation.method,
        path: pathOf(operation, values),
        body: bodyOf(operation, values),
      });
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(operationIdOf(entry.action)).toBe(id);
      expect(entry.details).toMatchObject({ status: 404, code: 'not_found' });
      const asked = decodeURIComponent(unknown).slice(0, 100);
      for (const name of operation.parameters) expect(entry.details[name].startsWith(asked)).toBe(true);
      expect(JSON.stringify(entry.details).length).toBeLessThan(1_000);
    }
  });

  const ofEvents = withParameters.filter(({ parameters }) => /^(event_id|rejected_id)$/.test(parameters.join()));
  test.each(named(ofEvents))('%s with an id that no index can hold', async (id, operation) => {
    // Random, because PostgreSQL compresses values.
    const unknown = Array.from({ length: 1_500 }, () => String.fromCodePoint(0x4e00 + randomInt(20_000))).join('');
    const encoded = encodeURIComponent(unknown);
    const path = pathOf(operation, { event_id: encoded, rejected_id: encoded });
    const { answer, entry } = await audited({ method: operation.method, path, body: bodyOf(operation, {}) });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(operationIdOf(entry.action)).toBe(id);
    expect(operation.parameters.map((name) => entry.details[name])).toEqual([`${unknown.slice(0, 100)}…`]);
  });

  test.each(named(operations))('%s with an unknown query parameter', async (id, operation) => {
    const values = await fresh();
    const path = `${pathOf(operation, values)}?nonsense=1`;
    const { answer, entry } = await audited({ method: operation.method, path, body: bodyOf(operation, values) });
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid', errors: [{ path: 'nonsense' }] } });
    expect(operationIdOf(entry.action)).toBe(id);
    expect(entry.details).toMatchObject({ status: 422, code: 'invalid', ...idsIn(operation, values) });
  });

  const takeBodies = operations.filter(({ method }) => method !== 'GET');
  test.each(named(takeBodies))('%s with an invalid body', async (id, operation) => {
    const values = await fresh();
    const path = pathOf(operation, values);
    const refused: [status: number, sent: Partial<Sent>][] = [
      [400, { body: '{"a":' }],
      [400, { body: '\ud800"' }],
      [413, { body: JSON.stringify('x'.repeat(300_000)) }],
      [415, { body: '{}', headers: { 'content-type': 'text/plain' } }],
      [422, { body: '{"nonsense":1}' }],
      [422, { body: '[]' }],
      [422, { body: '['.repeat(200) + ']'.repeat(200) }],
    ];
    for (const [status, sent] of refused) {
      const { answer, entry } = await audited({ method: operation.method, path, ...sent });
      expect([answer.status, String(sent.body).slice(0, 20)]).toEqual([status, String(sent.body).slice(0, 20)]);
      expect(operationIdOf(entry.action)).toBe(id);
      expect(entry.details).toMatchObject({ status, code: answer.body.code, ...idsIn(operation, values) });
    }
  });
});

describe('conflicts', () => {
  test('a slug that is taken', async () => {
    const fields = { provider: 'generic', account_slug: 'taken', app_key: 'tests' };
    await gateway.admin.createAccount(fields);
    const created = await audited({ method: 'POST', path: '/admin/accounts', body: fields });
    expect(created.answer.status).toBe(409);
    expect(created.entry).toMatchObject({ action: 'account.create', details: { status: 409, code: 'conflict' } });
    const { id } = await gateway.admin.createAccount({});
    const changed = await audited({ method: 'PATCH', path: `/admin/accounts/${id}`, body: { account_slug: 'taken' } });
    expect(changed.answer.status).toBe(409);
    expect(changed.entry.details).toMatchObject({ status: 409, code: 'conflict', account_id: id });
  });
  test('a retry of a dead event, and a replay of one whose account was deleted', async () => {
    const { event_id, account_id } = await fresh();
    await gateway.admin.post(`/admin/events/${event_id}/fail`, { dead: true });
    const retried = await audited({ method: 'POST', path: `/admin/delivery/retry/${event_id}` });
    expect(retried.answer.status).toBe(409);
    expect(retried.entry).toMatchObject({
      action: 'delivery.retry',
      details: { status: 409, code: 'event_dead', event_id },
    });
    await gateway.admin.request('DELETE', `/admin/accounts/${account_id}`);
    const replayed = await audited({ method: 'POST', path: `/admin/events/${event_id}/replay` });
    expect(replayed.entry).toMatchObject({
      action: 'event.replay',
      details: { status: 409, code: 'conflict', event_id },
    });
  });
  test('a test delivery that fails', async () => {
    const { account_id } = await fresh();
    consumer.replies = [418];
    const { answer, entry } = await audited({ method: 'POST', path: `/admin/accounts/${account_id}/test-delivery` });
    consumer.replies = [200];
    expect(answer.status).toBe(502);
    expect(entry.details).toMatchObject({ status: 502, code: 'delivery_unreachable', account_id, response_code: 418 });
  });
});

test.each([
  ['GET', '/admin', 404],
  ['GET', '/admin/', 404],
  ['GET', '/admin/nothing/here', 404],
  ['PUT', '/admin/accounts', 405],
  ['HEAD', '/admin/nothing', 404],
  ['OPTIONS', '/admin/accounts', 405],
  ['POST', '/admin/nothing', 404],
])('%s %s, which is no operation, has an entry too', async (method, path, status) => {
  const { answer, entry } = await audited({ method, path });
  expect(answer.status).toBe(status);
  expect(entry).toMatchObject({ action: 'unknown', details: { status } });
});

test('a trailing slash does not change the entry', async () => {
  const { account_id } = await fresh();
  const { answer, entry } = await audited({ method: 'GET', path: `/admin/accounts/${account_id}/` });
  expect(answer.status).toBe(200);
  expect(entry).toMatchObject({ action: 'account.read', details: { account_id, status: 200 } });
});

test('each of 200 requests, 50 at a time, has its entry', async () => {
  await entries();
  const ids = Array.from({ length: 200 }, (_, n) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`);
  for (const group of groupsOf(ids, 50))
    await Promise.all(group.map((id) => gateway.admin.request('GET', `/admin/accounts/${id}`)));
  const left = await entries();
  expect(left.map(({ details }) => details.account_id).sort()).toEqual(ids);
});
