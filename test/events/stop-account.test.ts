import { expect, test } from 'vitest';
import { stopNextEvents } from '../../src/events/transitions/account-deleted.ts';
import { until } from '../support/until.ts';
import { useGatewayPerTest } from '../support/use-gateway.ts';
import { fillEvents } from './fill-events.ts';

// More events than the deletion itself stops.
const many = 4_500;
const dayMs = 86_400_000;

const gateway = useGatewayPerTest({ worker: false });

/** An account with pending events, half of them queued and half waiting for their next attempt. */
async function accountWithPending(n: number) {
  const account = await gateway.admin.createAccount({});
  await fillEvents(
    gateway.database,
    Array.from({ length: n }, (_, i) => ({
      receivedAt: new Date(Date.now() - (i % 3) * dayMs),
      accountId: account.id,
      provider: 'generic',
      accountSlug: account.account_slug,
      appKey: 'app',
      eventType: null,
      externalId: 'x',
      status: i % 2 ? ('enqueued' as const) : ('received' as const),
      deliveryStatus: 'pending' as const,
      attempts: i % 2,
      deliveredAt: null,
      nextAttemptAt: i % 2 ? new Date(Date.now() + dayMs) : null,
    })),
  );
  return account.id as string;
}
const pendingOf = async (id: string) => {
  const text = `select count(*)::integer as n from events where account_id = $1 and delivery_status = 'pending'`;
  return (await gateway.rows(text, [id]))[0]?.n;
};
const remove = (id: string) => gateway.admin.request('DELETE', `/admin/accounts/${id}`);

test('a deletion stops one batch of events, and workers stop the others', async () => {
  const id = await accountWithPending(many);
  const other = await accountWithPending(10);
  expect((await remove(id)).status).toBe(204);
  expect(await pendingOf(id)).toBe(many - 2_000);
  // Several workers concurrently.
  while ((await Promise.all([stopNextEvents(gateway.database), stopNextEvents(gateway.database)])).some(Boolean));
  expect(await pendingOf(id)).toBe(0);
  expect(await pendingOf(other)).toBe(10);
  const [told] = await gateway.rows(`select count(*)::integer as n from event_commands where kind = 'account_deleted'`);
  expect(told?.n).toBe(many / 2);
  expect(await gateway.rows('select * from stopped_accounts')).toEqual([]);
  const texts = await gateway.rows('select distinct last_error from events where account_id = $1', [id]);
  expect(texts).toEqual([{ last_error: 'account_deleted' }]);
});

test('a running worker stops the remaining events', async () => {
  const id = await accountWithPending(many);
  expect((await remove(id)).status).toBe(204);
  await gateway.startWorker();
  await until('all are stopped', async () => (await pendingOf(id)) === 0);
  await until('nothing is noted', async () => (await gateway.rows('select * from stopped_accounts')).length === 0);
});

test('a deletion with few events leaves nothing to the workers', async () => {
  const id = await accountWithPending(9);
  await remove(id);
  expect(await pendingOf(id)).toBe(0);
  expect(await stopNextEvents(gateway.database)).toBe(false);
});
