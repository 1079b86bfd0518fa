import { beforeEach, describe, expect, test } from 'vitest';
import type { NewConsumer } from '../../src/consumers/consumer-rules.ts';
import { consumerPlace } from '../../src/consumers/consumer-secrets.ts';
import { ConsumerStore } from '../../src/consumers/consumer-store.ts';
import { stopEventsOf, stopNextEvents } from '../../src/events/transitions/account-deleted.ts';
import { wakeRelays } from '../../src/events/wake.ts';
import { useStores } from '../destinations/support.ts';
import { fillEvents } from '../events/fill-events.ts';
import { withClient } from '../support/one-connection.ts';
import { secretText } from '../support/secrets.ts';
import { everythingStored, rows } from '../support/stored.ts';
import { until } from '../support/until.ts';

const stores = useStores();
let consumers: ConsumerStore;
let account: string;
beforeEach(async () => {
  const em = () => stores.database.orm.em.fork();
  consumers = new ConsumerStore({ em, box: stores.box, stopDeliveries: stopEventsOf, wake: wakeRelays });
  account = await stores.newAccount();
});

const billing: NewConsumer = {
  name: 'billing',
  url: `https://user:${secretText('of-url')}@a.test/hook`,
  secret: secretText('of-consumer'),
};

async function create(input: NewConsumer) {
  const write = await consumers.create(account, input);
  if (!write.ok) throw new Error(write.reason);
  return write.consumer;
}
const revision = async () =>
  (await rows(stores.database, 'select consumers_revision as n from accounts where id = $1', [account]))[0]?.n;

describe('the revision of the account', () => {
  test('increases with each change, once', async () => {
    const changes = [
      () => consumers.create(account, billing),
      () => consumers.update(account, 'billing', { condition: 'exists(payload)' }),
      () => consumers.update(account, 'billing', {}),
      () => consumers.update(account, 'default', { enabled: false }),
      () => consumers.update(account, 'default', { enabled: true }),
      () => consumers.pause(account, 'billing', ''),
      () => consumers.resume(account, 'billing'),
      () => consumers.delete(account, 'billing'),
      () => stores.accounts.update(account, { delivery_url: 'https://a.test/' }),
    ];
    for (const [n, change] of changes.entries()) {
      expect(await change()).toMatchObject({ ok: true });
      expect(await revision()).toBe(n + 1);
    }
  });

  test('stays when nothing is changed', async () => {
    await create(billing);
    for (const write of [
      await consumers.create(account, billing),
      await consumers.create(account, { ...billing, name: 'default' }),
      await consumers.update(account, 'default', { url: 'https://a.test/' }),
      await consumers.update(account, 'other', { enabled: false }),
      await consumers.delete(account, 'default'),
      await consumers.delete(account, 'other'),
      await consumers.pause(account, 'other', ''),
    ])
      expect(write.ok).toBe(false);
    expect(await revision()).toBe(1);
  });
});

describe('the callback in the transaction', () => {
  test('fails: nothing is changed', async () => {
    const before = await create(billing);
    const fails = async () => {
      throw new Error('no entry');
    };
    for (const change of [
      () => consumers.create(account, { ...billing, name: 'other' }, fails),
      () => consumers.update(account, 'billing', { enabled: false }, fails),
      () => consumers.update(account, 'default', { enabled: false }, fails),
      () => consumers.pause(account, 'billing', '', fails),
      () => consumers.delete(account, 'billing', fails),
      () => consumers.pauseAccount(account, '', fails),
    ])
      await expect(change()).rejects.toThrow('no entry');
    expect(await consumers.list(account)).toEqual([
      expect.objectContaining({ name: 'default', enabled: true }),
      before,
    ]);
    expect((await stores.accounts.get(account))?.paused_since).toBeNull();
    expect(await revision()).toBe(1);
  });

  test('is not called when nothing is changed', async () => {
    const never = async () => {
      throw new Error('called');
    };
    await create(billing);
    expect((await consumers.create(account, billing, never)).ok).toBe(false);
    expect((await consumers.update(account, 'default', { name: 'a' }, never)).ok).toBe(false);
    expect((await consumers.delete(account, 'default', never)).ok).toBe(false);
    expect((await consumers.resume(account, 'other', never)).ok).toBe(false);
  });
});

test('secret and credentials are stored sealed, each bound to its consumer and column', async () => {
  const { id } = await create(billing);
  expect(await everythingStored(stores.database)).not.toContain(secretText('of-'));
  const [row] = await rows(stores.database, 'select * from consumers where id = $1', [id]);
  expect(row?.url).toBe('https://a.test/hook');
  const open = (column: 'secret' | 'url_credentials', owner: string) =>
    stores.box.open(row?.[column], consumerPlace(owner, column));
  expect(open('secret', id)).toBe(secretText('of-consumer'));
  expect(open('url_credentials', id)).toBe(`user:${secretText('of-url')}`);
  expect(consumerPlace(id, 'secret')).toEqual({ accountId: id, field: 'consumer_secret' });
  expect(consumerPlace(id, 'url_credentials')).toEqual({ accountId: id, field: 'consumer_url_credentials' });
  expect(open('secret', account)).toBeNull();
});

test('resuming and enabling wake the relays: a consumer its own, an account all', async () => {
  const { id } = await create(billing);
  await consumers.update(account, 'default', { enabled: false });
  await withClient(stores.url, async (client) => {
    const woken: (string | undefined)[] = [];
    client.on('notification', ({ payload }) => woken.push(payload));
    await client.query('listen gateway_queue');
    await consumers.pause(account, 'billing', '');
    await consumers.update(account, 'billing', { enabled: false });
    await consumers.update(account, 'billing', { condition: null });
    await consumers.update(account, 'billing', { enabled: true });
    await consumers.resume(account, 'default');
    await consumers.pauseAccount(account, '');
    await consumers.resumeAccount(account);
    await until('all are notified', async () => {
      await client.query('select');
      return woken.length >= 4;
    });
    expect(woken.slice(0, 2)).toEqual([id, account]);
    expect(woken.slice(2).sort()).toEqual([account, id].sort());
  });
});

describe('deleting a consumer', () => {
  const dayMs = 86_400_000;

  /** Pending events, half of them in the queue and half with a next attempt. */
  async function pendingOf(consumerId: string | null, n: number): Promise<string[]> {
    const ids = await fillEvents(
      stores.database,
      Array.from({ length: n }, (_, i) => ({
        ...{ receivedAt: new Date(Date.now() - (i % 3) * dayMs), accountId: account, provider: 'generic' },
        ...{ accountSlug: 'a', appKey: 'app', eventType: null, externalId: 'x', deliveredAt: null },
        ...{ status: 'enqueued' as const, deliveryStatus: 'pending' as const, attempts: i % 2 },
        nextAttemptAt: i % 2 ? new Date(Date.now() + dayMs) : null,
      })),
    );
    if (consumerId !== null) {
      await rows(stores.database, 'update events set consumer_id = $2 where id = any($1)', [ids, consumerId]);
      await rows(stores.database, 'update event_queue set account_id = $2 where event_id = any($1)', [ids, consumerId]);
    }
    return ids;
  }
  const stateOf = (ids: string[]) =>
    rows(
      stores.database,
      'select distinct delivery_status, last_error, next_attempt_at is null as unplanned from events where id = any($1)',
      [ids],
    );
  const ended = { delivery_status: 'failed', last_error: 'consumer_deleted', unplanned: true };

  test('ends its waiting events, and no others of the account', async () => {
    const [{ id }, other] = [await create(billing), await create({ ...billing, name: 'other' })];
    const own = await pendingOf(id, 10);
    const others = [...(await pendingOf(null, 4)), ...(await pendingOf(other.id, 4))];
    expect((await consumers.delete(account, 'billing')).ok).toBe(true);
    expect(await stateOf(own)).toEqual([ended]);
    for (const { delivery_status } of await stateOf(others)) expect(delivery_status).toBe('pending');
    expect(await rows(stores.database, 'select * from stopped_accounts')).toEqual([]);
    const told = await rows(
      stores.database,
      `select count(*)::integer as n from event_commands where event_id = any($1) and kind = 'account_deleted'`,
      [own],
    );
    expect(told).toEqual([{ n: 5 }]);
  });

  test('with more events than one batch: a worker ends the others', async () => {
    const { id } = await create(billing);
    const own = await pendingOf(id, 2_500);
    await consumers.delete(account, 'billing');
    expect(await rows(stores.database, 'select account_id from stopped_accounts')).toEqual([{ account_id: id }]);
    while (await stopNextEvents(stores.database));
    expect(await stateOf(own)).toEqual([ended]);
    expect(await rows(stores.database, 'select * from stopped_accounts')).toEqual([]);
  });

  test('and deleting the account ends the events of all its consumers', async () => {
    const { id } = await create(billing);
    const all = [...(await pendingOf(id, 4)), ...(await pendingOf(null, 4))];
    await stores.accounts.delete(account);
    for (const state of await stateOf(all)) expect(state.delivery_status).toBe('failed');
  });
});
