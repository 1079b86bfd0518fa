import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test, vi } from 'vitest';
import { verifyAuditLogs } from '../../src/audit/verify.ts';
import { inTransaction } from '../../src/database/transaction.ts';
import { totalOf } from '../../src/roles/change-key.ts';
import { randomKeyring } from '../support/keyring.ts';
import { rows } from '../support/stored.ts';
import { both, change, columnsSealedWith, copyDestinations, fill, gatewayWith, nothing } from './resealing.ts';

test('a key is not retired while a process encrypts with it; once retired, writes with it are refused', async () => {
  const [old, next] = [randomKeyring(), randomKeyring()];
  const stale = await gatewayWith({ keyring: both(old, next) });
  const [id = ''] = await fill(stale, 1);
  const keyring = both(next, old);
  onTestFinished(() => void vi.useRealTimers());
  // An audit entry dated a minute ahead counts as written after the run began.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  await stale.admin.request('GET', '/admin/accounts');
  vi.useRealTimers();
  const blocked = await change(stale, keyring);
  expect(blocked.blocked).toContain(`a process still seals with key ${old.current.id}`);
  expect(totalOf(blocked)).toBeGreaterThan(0);
  // The process may continue to write with the old key until it is restarted.
  expect((await stale.admin.request('PATCH', `/admin/accounts/${id}`, { delivery_secret: 'again' })).status).toBe(200);
  expect(nothing(await columnsSealedWith(stale, old)).map(([name]) => name)).toContain('accounts.delivery_secret');

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 });
  expect((await change(stale, keyring)).blocked).toBeNull();
  vi.useRealTimers();
  const before = await rows(stale.database, 'select * from accounts');
  const { status } = await stale.admin.request('PATCH', `/admin/accounts/${id}`, { delivery_secret: 'stale' });
  expect(status).toBe(503);
  expect((await stale.admin.request('GET', '/admin/settings')).status).toBe(503);
  expect(await rows(stale.database, 'select * from accounts')).toEqual(before);
  expect(nothing(await columnsSealedWith(stale, old))).toEqual([]);
  expect(await verifyAuditLogs({ database: stale.database, keyring: next })).toMatchObject({ ok: true });
});

test('once a key is retired, a copy of a box that was read before is refused, a later copy accepted', async () => {
  const next = randomKeyring();
  const gateway = await gatewayWith();
  await fill(gateway, 1);
  await inTransaction(gateway.database.pool, async (client) => {
    const { rows: read } = await client.query<{ config: Buffer; id: string; account_id: string }>(
      'select id, account_id, config from destinations',
    );
    expect((await change(gateway, both(next, gateway.keyring))).blocked).toBeNull();
    await expect(
      client.query(
        `insert into notifications (event_id, generation, destination_id, account_id, destination_type, name, config, ordinal, failed_at, event_attempts, status)
         values ($1, 9, $2, $3, 'webhook', '', $4, 0, now(), 10, 'pending')`,
        [uuidv7(), read[0]?.id, read[0]?.account_id, read[0]?.config],
      ),
    ).rejects.toThrow('sealed with a retired key');
    await client.query('rollback');
    await client.query('begin');
  });
  await copyDestinations(gateway);
  expect(nothing(await columnsSealedWith(gateway, gateway.keyring))).toEqual([]);
});

test('a return to a former key needs the option `back`', async () => {
  const [old, next] = [randomKeyring(), randomKeyring()];
  const gateway = await gatewayWith({ keyring: old });
  await gatewayWith({ databaseUrl: gateway.databaseUrl, keyring: both(next, old) });
  await expect(change(gateway, both(old, next))).rejects.toThrow('exchange the two settings');
  expect((await change(gateway, both(old, next), { back: true })).blocked).toBeNull();
  await expect(change(gateway, next)).rejects.toThrow('a key that was replaced cannot be used again');
});
