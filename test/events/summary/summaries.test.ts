import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { beforeAll, expect, test, vi } from 'vitest';
import { EventExports } from '../../../src/events/summary/export-events.ts';
import { auditTrail } from '../../support/audit-trail.ts';
import { until } from '../../support/until.ts';
import { useClient, useGateway } from '../../support/use-gateway.ts';
import { fillEvents, type StoredFields } from '../fill-events.ts';

const gateway = useGateway({ worker: false });
const client = useClient(gateway);
const hourMs = 3_600_000;
const startMs = Math.floor(Date.now() / hourMs) * hourMs - 5 * hourMs;
let ids: string[] = [];

const accountId = randomUUID();
const stored = (minute: number, fields: Partial<StoredFields>): StoredFields => ({
  ...{ receivedAt: new Date(startMs + minute * 60_000), accountId, provider: 'generic', accountSlug: 'shop' },
  ...{ appKey: 'a', eventType: 'order.paid', externalId: `=x,${minute}`, status: 'enqueued', attempts: 1 },
  ...{ deliveryStatus: 'delivered', deliveredAt: new Date(startMs), nextAttemptAt: null },
  ...fields,
});

/** Two hours with events: of four that have failed, two were answered 500, one 503, and one not at all. */
beforeAll(async () => {
  const retrying = {
    deliveryStatus: 'pending',
    deliveredAt: null,
    nextAttemptAt: new Date(Date.now() + hourMs),
  } as const;
  const exhausted = { status: 'failed', deliveryStatus: 'failed', deliveredAt: null } as const;
  ids = await fillEvents(gateway.database, [
    stored(0, {}),
    stored(1, retrying),
    stored(2, exhausted),
    stored(61, retrying),
    stored(62, retrying),
    stored(63, {}),
  ]);
  const attempts: [n: number, number: number, outcome: string, code: number | null, body: string | null][] = [
    [0, 1, 'delivered', 200, 'ok'],
    [1, 1, 'timeout', null, null],
    [1, 2, 'http_error', 500, '\n\n  {"error":"no order 4711"}\nat line 2'],
    [2, 1, 'http_error', 500, `<${'x'.repeat(5_000)}`],
    [3, 1, 'http_error', 503, ''],
    [4, 1, 'timeout', null, null],
  ];
  for (const [n, number, outcome, code, body] of attempts) {
    const { pool } = gateway.database;
    await pool.query(
      `insert into delivery_attempts (event_id, generation, trigger, number, started_at, duration_ms, outcome, response_code, response_body)
       values ($1, 0, 'schedule', $2, $3, 5, $4, $5, $6)`,
      [ids[n], number, new Date(startMs + number * 1_000), outcome, code, body],
    );
    await pool.query('update events set response_code = $2, last_error = $3 where id = $1', [
      ...[ids[n], code, outcome === 'delivered' ? null : `it answered ${code}`],
    ]);
  }
});

const get = (path: string) => gateway.admin.request('GET', `/admin/events${path}`);
const listed = async (query: string) =>
  (await get(`?${query}`)).body.map(({ id }: { id: string }) => ids.indexOf(id)) as number[];

test('events are found by the status code of their last answer, and by the cause of its failure', async () => {
  expect(await listed('response_code=500')).toEqual([2, 1]);
  expect(await listed('response_code=200')).toEqual([0]);
  expect(await listed('response_code=404')).toEqual([]);
  expect(await listed('cause=timeout')).toEqual([4]);
  expect(await listed('cause=http_error')).toEqual([3, 2, 1]);
  expect(await listed('cause=http_error&state=retrying&response_code=503')).toEqual([3]);
  const dry = { action: 'retry', filter: { response_code: 500, cause: 'http_error' }, dry_run: true };
  expect((await gateway.admin.post('/admin/events/bulk', dry)).body).toMatchObject({ matched: 2 });
});

test.each(['response_code=99', 'response_code=600', 'response_code=abc', 'ids='])('%s is refused', async (query) => {
  expect((await get(query.startsWith('ids') ? `/answers?${query}` : `?${query}`)).status).toBe(422);
});

test('the count has all events of the filters, by when they were received', async () => {
  const all = (await get('/count')).body;
  expect(all).toMatchObject({ count: 6, exact: true });
  const bars = (all.bars as { at: string; events: number; failed: number }[]).filter(({ events }) => events > 0);
  expect(bars.reduce((sum, { failed }) => sum + failed, 0)).toBe(4);
  expect(Date.parse(all.bars[0].at)).toBe(Date.parse(all.from));
  const until = new Date(startMs + hourMs).toISOString();
  expect((await get(`/count?state=retrying&until=${until}`)).body).toMatchObject({ count: 1, exact: true });
  expect((await get('/count?account_slug=none')).body).toMatchObject({ count: 0, exact: true });
});

test('answers have the first line that is not empty, cut to 200 characters', async () => {
  const answers = (await get(`/answers?ids=${ids.join()}`)).body as { id: string; line: string; outcome: string }[];
  const of = (n: number) => answers.find(({ id }) => id === ids[n]);
  expect(of(1)).toMatchObject({ outcome: 'http_error', line: '{"error":"no order 4711"}' });
  expect(of(2)?.line).toHaveLength(200);
  expect(of(3)?.line).toBeNull();
  expect(of(4)).toMatchObject({ outcome: 'timeout', line: null });
  expect(of(5)).toBeUndefined();
});

const download = async (query: string) => {
  const response = await fetch(`${gateway.baseUrl}/admin/events/export?${query}`, {
    headers: { 'x-admin-token': gateway.adminToken },
  });
  return { text: await response.text(), type: response.headers.get('content-type') };
};

test('an export has the events of the filters in both formats, and each has an entry in the audit log', async () => {
  const ndjson = await download('state=retrying');
  expect(ndjson.type).toBe('application/x-ndjson');
  const lines = ndjson.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ id }) => ids.indexOf(id))).toEqual([4, 3, 1]);
  expect(lines[2]).toMatchObject({ state: 'retrying', response_code: 500, answer: '{"error":"no order 4711"}' });
  const csv = await download('format=csv&response_code=500');
  expect(csv.type).toContain('text/csv');
  const [head, ...rows] = csv.text.trimEnd().split('\r\n');
  expect(head).toMatch(/^id,received_at,state,/);
  expect(rows).toHaveLength(2);
  expect(rows[1]).toContain(`"'=x,1"`);
  await download('state=retrying');
  const entries = (await auditTrail(gateway.database)()).filter(({ action }) => action === 'event.export');
  expect(entries.map(({ details }) => details.query)).toEqual([
    { state: 'retrying' },
    { format: 'csv', response_code: 500 },
    { state: 'retrying' },
  ]);
});

test('the statement of an export ends when its client leaves', async () => {
  const waits = `select pid from pg_stat_activity
    where datname = current_database() and application_name = 'webhook-gateway-reader' and wait_event_type = 'Lock'`;
  const waiting = () => gateway.rows(waits);
  const asked = vi.spyOn(gateway.database, 'query');
  const isCanceled = (pid: number) =>
    asked.mock.calls.some(([{ name }, [canceled]]) => name === 'cancel_statement' && canceled === pid);
  await client.query('begin');
  try {
    await client.query('lock table events in access exclusive mode');
    const leaves = new AbortController();
    const response = await fetch(`${gateway.baseUrl}/admin/events/export`, {
      ...{ headers: { 'x-admin-token': gateway.adminToken }, signal: leaves.signal },
    });
    const { pid } = await until('the export waits for the table', async () => (await waiting())[0]);
    expect(isCanceled(pid)).toBe(false);
    leaves.abort();
    await expect(response.text()).rejects.toThrow('abort');
    // By itself, its statement would wait for 5 s.
    await until('its statement is canceled', () => isCanceled(pid));
    await until('its statement has ended', async () => (await waiting()).length === 0);
  } finally {
    asked.mockRestore();
    await client.query('rollback');
  }
  expect((await download('state=retrying')).text.trimEnd().split('\n')).toHaveLength(3);
});

test('an export reads the next page when its client has taken the one before', async () => {
  const fields = Array.from({ length: 1_100 }, () => stored(1, { accountSlug: 'large' }));
  await fillEvents(gateway.database, fields);
  const { database } = gateway;
  const connect = vi.fn(() => database.readers.connect());
  const exports = new EventExports({ query: database.query, readers: { connect } });
  const taken: (() => void)[] = [];
  let text = '';
  const slow = new Writable({
    highWaterMark: 1_024,
    write(chunk: Buffer, _encoding, done) {
      text += chunk;
      taken.push(done);
    },
  });
  const filter = { account_slug: 'large' };
  const wanted = { filter, format: 'ndjson', requireInForce: () => undefined } as const;
  // Only what every writable stream has is used.
  const written = exports.write(wanted, slow as ServerResponse, new AbortController().signal);
  for (const page of [1, 2]) {
    await until('a page was written', () => taken.length === page);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(connect).toHaveBeenCalledTimes(page);
    taken.at(-1)?.();
  }
  await until('the last page was written', () => taken.length === 3);
  taken.at(-1)?.();
  await written;
  expect(connect).toHaveBeenCalledTimes(3);
  expect(
    new Set(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).size,
  ).toBe(1_100);
});
