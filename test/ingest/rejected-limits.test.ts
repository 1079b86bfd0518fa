import { expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { dayMs } from '../../src/database/uuid-time.ts';
import { rowBytes } from '../../src/events/transitions/rejected.ts';
import { noon } from '../support/noon.ts';
import { rejectedEvent, rejectionRecorder } from '../support/received.ts';
import { eventsOf } from '../support/stored.ts';
import { useGateway } from '../support/use-gateway.ts';

/** Room for three of the bodies below and a part of a fourth; and for five of all accounts together. */
const bodyBytes = 10_000;
const rejected = { bodyBytes, accountDailyBytes: 3.5 * (bodyBytes + 2_000), dailyBytes: 5.5 * (bodyBytes + 2_000) };

const gateway = useGateway({ worker: false, rejected });

const closedAccount = () =>
  gateway.admin.createAccount({ skip_signature_verification: false, signing_secret_current: 'closed-secret' });
const bad = (account: { provider: string; account_slug: string }) =>
  gateway.send(account, 'x'.repeat(2 * bodyBytes), { 'x-secret': 'guess', 'x-pad': 'p'.repeat(500) });

/** Bytes of rejected webhooks in the database, including the fixed amount that counts for each row. */
async function bytesKept(): Promise<number> {
  const [row] =
    await gateway.rows(`select coalesce(sum(octet_length(p.body) + octet_length(p.headers::text) + ${rowBytes}), 0)::float8 as bytes
     from event_payloads p join events e on e.id = p.event_id where e.status = 'rejected'`);
  return row?.bytes;
}

test('above the daily limits of an account and of all accounts, rejected webhooks are only counted', async () => {
  const [first, second, third] = [await closedAccount(), await closedAccount(), await closedAccount()];
  for (let n = 0; n < 6; n++) expect((await bad(first)).status).toBe(401);
  expect(await eventsOf(gateway.database, first.id)).toHaveLength(3);
  const statistics = async () => (await gateway.admin.request('GET', '/admin/delivery/stats')).body.rejected_today;
  expect(await statistics()).toMatchObject({ received: 6, kept: 3, limit_reached: false, accounts_at_limit: 1 });

  // The webhooks of the first account that were not kept use nothing of the limit of all accounts.
  for (let n = 0; n < 2; n++) expect((await bad(second)).status).toBe(401);
  expect(await eventsOf(gateway.database, second.id)).toHaveLength(2);
  for (const account of [second, third, third]) expect((await bad(account)).status).toBe(401);
  expect(await eventsOf(gateway.database, second.id)).toHaveLength(2);
  expect(await eventsOf(gateway.database, third.id)).toEqual([]);
  expect(await statistics()).toEqual({
    ...{ received: 11, kept: 5, bytes: rejected.dailyBytes, limit_bytes: rejected.dailyBytes },
    ...{ limit_reached: true, accounts_at_limit: 1 },
  });
  expect(await bytesKept()).toBeLessThanOrEqual(rejected.dailyBytes);
  const counted = await gateway.rows('select sum(seen)::integer as n from rejection_counts where account_id = $1', [
    first.id,
  ]);
  expect(counted).toEqual([{ n: 6 }]);

  // Valid webhooks are still accepted.
  const good = await gateway.send(first, 'x'.repeat(2 * bodyBytes), { 'x-secret': 'closed-secret' });
  expect(good.status).toBe(202);
});

test('concurrent rejected webhooks in two processes keep to the limit, and all are counted', async () => {
  const account = await closedAccount();
  const limits = { accountDailyBytes: 20 * (rowBytes + 6) };
  const events = Array.from({ length: 50 }, () => rejectedEvent(account));
  // Each recorder stands for a process.
  const recorders = [rejectionRecorder(gateway.database, { limits }), rejectionRecorder(gateway.database, { limits })];
  await Promise.all(events.map((event, n) => recorders[n % 2]?.record(account.id, () => event)));
  const kept = await eventsOf(gateway.database, account.id);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThanOrEqual(20);
  expect(await gateway.rows('select seen::integer from rejection_days where account_id = $1', [account.id])).toEqual([
    { seen: 50 },
  ]);
});

test('after the daily limit, the row of a rejected webhook is not even built until the next day', async () => {
  const account = await closedAccount();
  let now = noon();
  const warnings: object[] = [];
  const recorder = rejectionRecorder(gateway.database, {
    limits: { accountDailyBytes: rowBytes },
    log: { warn: (fields: object) => void warnings.push(fields) },
    now: () => now,
  });
  let described = 0;
  const record = () =>
    recorder.record(account.id, () => {
      described++;
      return rejectedEvent(account);
    });
  for (let n = 0; n < 4; n++) await record();
  expect(described).toBe(1);
  expect(warnings).toMatchObject([{ accounts: [account.id], notKept: 1 }]);
  now += 60_000;
  await record();
  expect(warnings).toMatchObject([{ notKept: 1 }, { notKept: 4 }]);
  now += dayMs / 2;
  await record();
  expect(described).toBe(2);
});

test.each([
  ['day', dayMs],
  ['minute', 60_000],
])('an answer that arrives after the end of its %s does not close the next one', async (limit, spanMs) => {
  const account = await closedAccount();
  const begin = limit === 'day' ? noon() : Math.floor(Date.now() / spanMs) * spanMs;
  let now = begin;
  let answered = () => {
    now = begin + spanMs;
  };
  // Its first answer arrives in the next day or minute.
  const database: Database = {
    ...gateway.database,
    async query(...statement) {
      const rows = await gateway.database.query(...statement);
      answered();
      return rows as never;
    },
  };
  const limits = limit === 'day' ? { accountDailyBytes: rowBytes } : {};
  const recorder = rejectionRecorder(database, { limits, now: () => now });
  if (limit === 'minute')
    await gateway.database.pool.query(
      `insert into rejection_counts select $1, date_trunc('minute', now() + n * interval '1 minute'), 60 from generate_series(0, 1) n`,
      [account.id],
    );
  let described = 0;
  const record = () =>
    recorder.record(account.id, () => {
      described++;
      return rejectedEvent(account);
    });
  await record();
  answered = () => undefined;
  await record();
  expect(described).toBe(2);
  // The second answer is about the present one, and closes it.
  await record();
  expect(described).toBe(2);
});

test('after sixty in a minute, the row of a rejected webhook is not even built', async () => {
  const account = await closedAccount();
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  let now = minute;
  const recorder = rejectionRecorder(gateway.database, { now: () => now });
  let described = 0;
  const record = () =>
    recorder.record(account.id, () => {
      described++;
      return rejectedEvent(account);
    });
  await gateway.database.pool.query(
    `insert into rejection_counts select $1, date_trunc('minute', now() + n * interval '1 minute'), 60 from generate_series(0, 1) n`,
    [account.id],
  );
  await record();
  expect(described).toBe(1);
  await record();
  expect(described).toBe(1);
  now = minute + 60_000;
  await record();
  expect(described).toBe(2);
});
