import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../src/database/sql.ts';
import { type EventFilter, listEvents } from '../../src/events/list.ts';
import { insertConsumer } from '../support/consumers.ts';
import { useDatabase } from '../support/use-database.ts';
import { fillEvents } from './fill-events.ts';

const database = useDatabase();
const manyEvents = 5_000;

const job = randomUUID();

// One event of a consumer, one that a person has marked as failed, one webhook that no consumer gets, and one event of a bulk
// job, before many others.
beforeAll(async () => {
  const consumerId = await insertConsumer(database, { accountId: randomUUID(), name: 'rare' });
  const event = (at: number) => ({
    ...{ receivedAt: new Date(at), accountId: randomUUID(), provider: 'generic', accountSlug: 'a', appKey: 'a' },
    ...{ eventType: null, externalId: 'x', status: 'enqueued', deliveryStatus: 'delivered', attempts: 1 },
    ...{ deliveredAt: new Date(at), nextAttemptAt: null },
  });
  const now = Date.now();
  const skipped = { deliveryStatus: null, skippedReason: 'no_consumer_matched', deliveredAt: null };
  await fillEvents(database, [
    { ...event(now - 2), consumerId },
    { ...event(now - 2), ...skipped },
    { ...event(now - 2), status: 'failed', deliveryStatus: 'failed', failedByPerson: true },
    { ...event(now - 2), bulkJobId: job },
    ...Array.from({ length: manyEvents }, () => event(now - 1)),
    ...Array.from({ length: manyEvents }, () => ({ ...event(now - 1), status: 'failed', deliveryStatus: 'failed' })),
  ] as Parameters<typeof fillEvents>[1]);
  await database.pool.query('analyze events');
});

/** The plans of the statements that read the events of a list. */
async function plansOf(filter: Partial<EventFilter>): Promise<string[]> {
  const plans: string[] = [];
  const { reader } = database;
  const sql: Sql = {
    async query(statement, values) {
      if (statement.text.includes('from events e')) {
        const text = `explain (costs off) ${statement.text}`;
        const lines = await reader.query<{ 'QUERY PLAN': string }>({ name: '', text }, values);
        plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
      }
      return reader.query(statement, values);
    },
  };
  expect(await listEvents(sql, { limit: 100, offset: 0, ...filter })).toHaveLength(1);
  return plans;
}

test('a list of a consumer with few events reads only these', async () => {
  for (const plan of await plansOf({ consumer: 'rare' })) {
    expect(plan).toMatch(/Index Cond: \(\(consumer_id = /);
    expect(plan).not.toContain('Filter');
  }
});

test('a list of the webhooks that no consumer gets reads only these', async () => {
  for (const plan of await plansOf({ skipped: true })) expect(plan).not.toContain('Filter');
});

test('a list of the events of a bulk job reads only these', async () => {
  for (const plan of await plansOf({ job })) {
    expect(plan).toMatch(/Index Cond: \(\(bulk_job_id = /);
    expect(plan).not.toContain('Filter');
  }
});

test('a list of events that a person has marked as failed does not read the exhausted ones', async () => {
  for (const plan of await plansOf({ state: 'failed_by_person' })) {
    expect(plan).toMatch(/^ *Filter: \(e?\.?delivery_status IS DISTINCT FROM 'pending'::text\)$/m);
    expect(plan).not.toMatch(/state = 'failed'|events_\d+_pkey/);
  }
});
