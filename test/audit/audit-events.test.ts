import { expect, test } from 'vitest';
import { createAdminClient } from '../../src/api/client.ts';
import { listAuditLogs } from '../../src/audit/query.ts';
import type { Sql } from '../../src/database/sql.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });

test('the entries about one event say what operators did, with and without those who only looked', async () => {
  const { admin } = gateway;
  const account = await admin.createAccount({});
  const { id } = (await gateway.send(account, '{"id":1}')).body;
  const other = (await gateway.send(account, '{"id":2}')).body.id;
  await admin.event(id);
  await admin.event(other);
  await admin.post(`/admin/events/${id.toUpperCase()}/ack`);
  await admin.post('/admin/conditions/check', { condition: 'true', event_id: id });
  await admin.post(`/admin/events/${id}/replay`);
  await fetch(`${gateway.baseUrl}/admin/events/${id}/payload`, { headers: { 'x-admin-token': gateway.adminToken } });
  await admin.post(`/admin/delivery/retry/${id}`);
  await admin.post(`/admin/events/${id}/fail`, { dead: true });
  const changes = ['event.fail', 'delivery.retry', 'event.replay', 'event.ack'];
  const client = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
  const actions = async (query: { event_id: string; reads?: 'true' | 'false' }) =>
    (await client['audit-logs'].get({ query })).data?.map(({ action }) => action);
  expect(await actions({ event_id: id.toUpperCase(), reads: 'false' })).toEqual(changes);
  expect((await actions({ event_id: id }))?.sort()).toEqual(
    [...changes, 'condition.check', 'event.payload', 'event.read'].sort(),
  );
  expect(await actions({ event_id: other })).toEqual(['event.read']);

  const first = await admin.request('GET', `/admin/audit-logs?event_id=${id}&reads=false&limit=3`);
  const next = /<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  expect((await admin.request('GET', next)).body).toMatchObject([{ action: 'event.ack' }]);
});

test('the list of an event reads the indexes of events and of rejected webhooks in their order', async () => {
  const plan = await gateway.database.transaction(async (sql) => {
    await sql.query({ name: '', text: 'set local enable_seqscan = off' }, []);
    await sql.query({ name: '', text: 'set local enable_sort = off' }, []);
    let lines: unknown[] = [];
    const explaining: Sql = {
      async query({ text }, values) {
        lines = await sql.query({ name: '', text: `explain ${text}` }, values);
        return [];
      },
    };
    const id = '01900000-0000-7000-8000-000000000001';
    await listAuditLogs(explaining, { event_id: id, before: id, without: ['event.read'], limit: 10 });
    return JSON.stringify(lines);
  });
  for (const index of ['audit_logs_event', 'audit_logs_rejected'])
    expect(plan).toContain(`Index Scan Backward using ${index}`);
  expect(await gateway.rows(`select 1 from pg_index where not indisvalid`)).toEqual([]);
});

test.each([
  ['reads=false', 'reads'],
  ['event_id=1', 'event_id'],
  ['reads=no&event_id=01900000-0000-7000-8000-000000000001', 'reads'],
  ['until=yesterday', 'until'],
])('refused: %s', async (query, path) => {
  const answer = await gateway.admin.request('GET', `/admin/audit-logs?${query}`);
  expect(answer).toMatchObject({ status: 422, body: { code: 'invalid', errors: [{ path }] } });
});
