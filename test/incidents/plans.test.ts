import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../src/database/sql.ts';
import { listEvents } from '../../src/events/list.ts';
import { listIncidents } from '../../src/incidents/incident-rows.ts';
import { fillEvents, type StoredFields } from '../events/fill-events.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
const [accountId, incident] = [randomUUID(), randomUUID()];
const many = 5_000;

// Three events of an account wait and two are exhausted, among many that were delivered or fail elsewhere.
beforeAll(async () => {
  const now = Date.now();
  const event = (owner: string, state: Partial<StoredFields>): StoredFields => ({
    ...{ receivedAt: new Date(now - 1_000), accountId: owner, provider: 'generic', accountSlug: 'a', appKey: 'a' },
    ...{
      eventType: null,
      externalId: 'x',
      status: 'enqueued',
      deliveryStatus: null,
      attempts: 1,
      deliveredAt: null,
      nextAttemptAt: null,
    },
    ...state,
  });
  const delivered = { deliveryStatus: 'delivered' as const, deliveredAt: new Date(now) };
  const waiting = { deliveryStatus: 'pending' as const, nextAttemptAt: new Date(now + 60_000) };
  const exhausted = { deliveryStatus: 'failed' as const, status: 'failed' as const, attempts: 10 };
  const acknowledged = { ...exhausted, status: 'processed' as const };
  const of = (count: number, owner: () => string, state: Partial<StoredFields>) =>
    Array.from({ length: count }, () => event(owner(), state));
  await fillEvents(database, [
    ...of(3, () => accountId, waiting),
    ...of(2, () => accountId, exhausted),
    ...of(1, () => accountId, acknowledged),
    ...of(many, () => accountId, delivered),
    ...of(many, randomUUID, waiting),
  ]);
  await database.pool.query(
    `insert into incidents (id, kind, account_id, cause, first_seen_at, last_seen_at) values ($1, 'delivery', $2, '500', $3, now())`,
    [incident, accountId, new Date(now - 2_000)],
  );
  await database.pool.query('vacuum analyze events');
});

/** The plans of the statements that read events, with the rows that they have read. */
async function plansOf(call: (sql: Sql) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const { reader } = database;
  await call({
    async query(statement, values) {
      if (statement.text.includes('from events e')) {
        const text = `explain (analyze, costs off, timing off, summary off) ${statement.text}`;
        const lines = await reader.query<{ 'QUERY PLAN': string }>({ name: '', text }, values);
        plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
      }
      return reader.query(statement, values);
    },
  });
  return plans;
}

/** The rows that a plan has read in vain. */
const readInVain = (plan: string) =>
  [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].reduce((sum, [, rows]) => sum + Number(rows), 0);

test('the failing events of an incident are counted without reading many others', async () => {
  const [plan = ''] = await plansOf(async (sql) => {
    const [row] = await listIncidents(sql, { state: ['open'], limit: 100 });
    expect(row).toMatchObject({ id: incident, waiting: 3, exhausted: 2 });
  });
  // The partitions of coming days are empty, and PostgreSQL reads them as they are.
  expect(plan).not.toMatch(/Seq Scan on events_\d+ \w+ \(actual rows=[1-9]/);
  expect(readInVain(plan), plan).toBeLessThan(10);
});

test('a list of the events of an incident reads only these', async () => {
  const plans = await plansOf(async (sql) => {
    expect(await listEvents(sql, { incident, limit: 100, offset: 0 })).toHaveLength(5);
  });
  for (const plan of plans) {
    // The index has a name that PostgreSQL chose in partitions that were made after it.
    expect(plan).toMatch(/events_\d+_(events_failing|coalesce_undelivered_id_\w+)/);
    expect(plan).not.toContain('Seq Scan');
    expect(readInVain(plan), plan).toBe(0);
  }
});
