import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { freePendingDeliveries, pendingDeliveries } from '../../src/events/pending-deliveries.ts';
import { addAccount } from '../../src/roles/undone.ts';
import { useDatabase } from '../support/use-database.ts';
import { fillEvents } from './fill-events.ts';

const database = useDatabase();
const hourMs = 3_600_000;
const run = (text: string) => database.pool.query(text);
const now = 'now()';

/** The ages of the oldest pending event in hours: of all, and of those that neither a pause nor a switch holds. */
async function ages() {
  const both = await Promise.all([pendingDeliveries, freePendingDeliveries].map((read) => read(database.reader)));
  return both.map(({ since }) => since && Math.round((Date.now() - since.getTime()) / hourMs));
}

test('without a pending event there is no age', async () => {
  expect(await ages()).toEqual([null, null]);
});

test.each([
  ['a paused account', { paused_since: now }, {}],
  ['a disabled account', { enabled: 'false' }, {}],
  ['a paused consumer', {}, { paused_since: now }],
  ['a disabled consumer', {}, { enabled: 'false' }],
])('the events of %s wait for a person, however old they are', async (_, ofAccount, ofConsumer) => {
  const [accountId, consumerId] = [uuidv7(), uuidv7()];
  await addAccount(database, accountId, accountId);
  await run(`insert into consumers (id, account_id, name, created_at, updated_at)
    values ('${consumerId}', '${accountId}', 'billing', now(), now())`);
  const pending = (owner: string | null, hours: number, nextAttemptAt: Date | null) =>
    fillEvents(database, [
      {
        ...{ receivedAt: new Date(Date.now() - hours * hourMs), accountId, consumerId: owner, nextAttemptAt },
        ...{ provider: 'generic', accountSlug: accountId, appKey: 'tests', eventType: null, externalId: uuidv7() },
        ...{ status: 'enqueued', deliveryStatus: 'pending', attempts: 1, deliveredAt: null },
      },
    ]);
  // The first waits for its first attempt, the second for one that was due during the pause.
  await pending(consumerId, 5, null);
  await pending(consumerId, 6, new Date(Date.now() - hourMs));
  expect(await ages()).toEqual([6, 6]);
  for (const [table, id, columns] of [
    ['accounts', accountId, ofAccount],
    ['consumers', consumerId, ofConsumer],
  ] as const)
    for (const [column, value] of Object.entries(columns))
      await run(`update ${table} set ${column} = ${value} where id = '${id}'`);
  expect(await ages()).toEqual([6, null]);
  // The consumer `default` has the state of its account.
  await pending(null, 4, null);
  const isFree = Object.keys(ofAccount).length === 0;
  expect(await ages()).toEqual([6, isFree ? 4 : null]);
  await run(`delete from event_queue`);
  await run(`update events set delivery_status = 'delivered', delivered_at = now(), next_attempt_at = null`);
  await run('update accounts set deleted_at = now()');
});

test('of more than 10,000 events of a paused consumer, the last of these counts', async () => {
  const accountId = uuidv7();
  await addAccount(database, accountId, accountId);
  await run(`update accounts set paused_since = now() where id = '${accountId}'`);
  const nextAttemptAt = new Date();
  const pending = (count: number, hours: number) =>
    fillEvents(
      database,
      Array.from({ length: count }, () => ({
        ...{ receivedAt: new Date(Date.now() - hours * hourMs), accountId, nextAttemptAt, externalId: uuidv7() },
        ...{ provider: 'generic', accountSlug: accountId, appKey: 'tests', eventType: null, deliveredAt: null },
        ...{ status: 'enqueued' as const, deliveryStatus: 'pending' as const, attempts: 1 },
      })),
    );
  await pending(9_999, 7);
  expect(await ages()).toEqual([7, null]);
  await pending(2, 5);
  expect(await ages()).toEqual([7, 5]);
});
