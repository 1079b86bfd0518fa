import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { ConsumerFailures } from '../../src/incidents/counting/consumer-failures.ts';
import { FailureCounts } from '../../src/incidents/counting/failure-counts.ts';
import { RejectionCounts } from '../../src/incidents/counting/rejection-counts.ts';
import { ownLocks } from '../support/own-locks.ts';
import { log } from '../support/runtime.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
/** Consumers that a process remembers. */
const remembered = 10_000;
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;

beforeEach(() => query('delete from incident_counts'));

function attemptsOf(counts: FailureCounts) {
  const attempt = (consumerId: string, succeeded: boolean) =>
    counts.attempted(
      {
        ...{ accountId: consumerId, consumerId, eventId: randomUUID(), trigger: 'schedule', number: 1, succeeded },
        ...{ exhausted: false, endedMs: Date.now() },
      },
      { outcome: 'answered', responseCode: succeeded ? 200 : 500, responseBody: null, error: null },
    );
  return {
    fail(consumerId: string, times = 1) {
      for (let n = 0; n < times; n++) attempt(consumerId, false);
    },
    succeedOthers(count: number) {
      for (let n = 0; n < count; n++) attempt(randomUUID(), true);
    },
  };
}

/** What was written of a consumer's failures. */
const written = async (consumerId: string) => {
  const text = `select sum(failed)::integer as failed, bool_or(opens) as opens from incident_counts
    where consumer_id = $1 and cause is not null`;
  return (await query(text, [consumerId]))[0];
};

test('of too many consumers, the one without an attempt for longest is forgotten', async () => {
  const counts = await forTest(new FailureCounts({ sql: database, log }));
  const { fail, succeedOthers } = attemptsOf(counts);
  const [first, second] = [randomUUID(), randomUUID()];
  fail(first, 3);
  fail(second, 4);
  succeedOthers(remembered - 2);
  fail(first);
  succeedOthers(1);
  // Five failures in a row open an incident.
  fail(first);
  fail(second);
  await counts.stop();
  expect(await written(first)).toEqual({ failed: 5, opens: true });
  expect(await written(second)).toEqual({ failed: 5, opens: false });
});

test('failures of a consumer that is forgotten are written', async () => {
  const counts = await forTest(new FailureCounts({ sql: database, log }));
  const { fail, succeedOthers } = attemptsOf(counts);
  const consumer = randomUUID();
  fail(consumer, 2);
  succeedOthers(remembered);
  await counts.stop();
  expect(await written(consumer)).toEqual({ failed: 2, opens: false });
});

test('failures of a consumer that is forgotten during a write are written once', async () => {
  const counts = await forTest(new FailureCounts({ sql: database, log }));
  const { fail, succeedOthers } = attemptsOf(counts);
  const consumer = randomUUID();
  fail(consumer, 2);
  await database.transaction(async (sql) => {
    await sql.query({ name: '', text: 'lock table incident_counts in access exclusive mode' }, []);
    counts.start();
    const waiting = `select from ${ownLocks} where relation = 'incident_counts'::regclass and not granted`;
    await until('the first failures are being written', async () => (await query(waiting)).length > 0);
    fail(consumer);
    succeedOthers(remembered);
  });
  await counts.stop();
  expect(await written(consumer)).toEqual({ failed: 3, opens: false });
});

test('rejected webhooks that were not written are counted with the times of the first and the last one', async () => {
  const counts = await forTest(new RejectionCounts({ sql: database, log, flushMs: 50 }));
  const accountId = randomUUID();
  const name = (now: string, later: string) => `alter table ${now} rename to ${later}`;
  await database.transaction(async (sql) => {
    await sql.query({ name: '', text: name('incident_counts', 'renamed') }, []);
    counts.rejected(accountId, 'bad_signature');
    counts.start();
    const waiting = `select from ${ownLocks} where relation = 'renamed'::regclass and not granted`;
    await until(
      'the first one is being written',
      async () => (await sql.query({ name: '', text: waiting }, [])).length > 0,
    );
    counts.rejected(accountId, 'bad_signature');
  });
  await query(name('renamed', 'incident_counts'));
  await counts.stop();
  const text = 'select failed, first_at <= last_at as in_order from incident_counts where account_id = $1';
  expect(await query(text, [accountId])).toEqual([{ failed: 2, in_order: true }]);
});

test('failures in a row begin with the first of the last five events, and one that opens by itself with itself', () => {
  const owner = { accountId: randomUUID(), consumerId: randomUUID() };
  const failures = new ConsumerFailures(owner.accountId, owner.consumerId);
  const firstMs = () => failures.rows(false).map((row) => row.firstMs);
  const fail = (endedMs: number, number = 1) =>
    failures.failed(
      { ...owner, eventId: randomUUID(), trigger: 'schedule', number, succeeded: false, exhausted: false, endedMs },
      '500 down',
    );
  expect([1, 2, 3, 4].map((n) => fail(n))).toEqual([false, false, false, false]);
  expect(firstMs()).toEqual([1]);
  expect(fail(5)).toBe(true);
  expect(firstMs()).toEqual([1]);
  expect(fail(6)).toBe(true);
  expect(firstMs()).toEqual([2]);
  expect(fail(7, 4)).toBe(true);
  expect(firstMs()).toEqual([7]);
});
