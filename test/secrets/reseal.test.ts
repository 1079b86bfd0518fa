import { expect, test } from 'vitest';
import { verifyAuditLogs } from '../../src/audit/verify.ts';
import { totalOf } from '../../src/roles/change-key.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { randomKeyring } from '../support/keyring.ts';
import { rows } from '../support/stored.ts';
import { both, change, columnsSealedWith, fill, gatewayWith, nothing, opened } from './resealing.ts';

test('everything is encrypted with the new key, and the audit log verifies without the old key', async () => {
  const [old, next] = [randomKeyring(), randomKeyring()];
  const gateway = await gatewayWith({ keyring: old });
  await fill(gateway, 3);
  const before = await opened(gateway, old);
  const entries = Number((await rows(gateway.database, 'select count(*) as n from audit_logs'))[0]?.n);
  const updated = await rows(gateway.database, 'select updated_at from accounts order by id');

  const done = await change(gateway, both(next, old));
  expect(done).toMatchObject({ blocked: null, unreadable: [] });
  expect(totalOf(done)).toBe(3 * (4 + 2 + 1 + 3 + 1 + 3 + 1 + 1));
  expect(nothing(await columnsSealedWith(gateway, old))).toEqual([]);
  expect((await opened(gateway, next)).slice(0, before.length)).toEqual(before);
  expect((await opened(gateway, old)).filter((text) => text !== null)).toEqual([]);
  // Encrypting again does not change an account's `updated_at`.
  expect(await rows(gateway.database, 'select updated_at from accounts order by id')).toEqual(updated);

  const verified = await verifyAuditLogs({ database: gateway.database, keyring: next });
  expect(verified).toMatchObject({ ok: true, failure: null, unsealed: 1 });
  expect(verified.checked).toBeGreaterThanOrEqual(entries);
  expect(await rows(gateway.database, `select actor, details from audit_logs where action = 'secrets.reseal'`)).toEqual(
    [
      {
        actor: 'gateway',
        details: {
          ...{ key: next.current.id, previous_key: old.current.id, retired: true, unreadable: 0 },
          resealed: expect.objectContaining({
            'accounts.delivery_secret': 3,
            'consumers.secret': 3,
            'notifications.config': 9,
          }),
        },
      },
    ],
  );
});

test('a second time changes nothing', async () => {
  const next = randomKeyring();
  const gateway = await gatewayWith();
  await fill(gateway, 1);
  await change(gateway, both(next, gateway.keyring));
  const stored = () =>
    rows(
      gateway.database,
      'select *, (select count(*) from audit_logs) as entries from accounts, secrets_keys order by 1',
    );
  const before = await stored();
  for (const keyring of [both(next, gateway.keyring), next]) {
    const again = await change(gateway, keyring);
    expect([totalOf(again), again.blocked]).toEqual([0, null]);
  }
  expect(await stored()).toEqual(before);
});

test('after a run that was interrupted, the old key stays in use, and the next run continues', async () => {
  const next = randomKeyring();
  const gateway = await gatewayWith();
  await fill(gateway, 2);
  const texts = await opened(gateway, gateway.keyring);
  const keyring = both(next, gateway.keyring);
  const stop = new AbortController();
  await expect(
    change(gateway, keyring, { signal: stop.signal, onProgress: () => stop.abort(new Error('killed')) }),
  ).rejects.toThrow('killed');
  expect(nothing(await columnsSealedWith(gateway, gateway.keyring)).length).toBeGreaterThan(2);
  expect(nothing(await columnsSealedWith(gateway, next)).length).toBeGreaterThan(0);
  expect(await opened(gateway, keyring)).toEqual(texts);
  expect(await verifyAuditLogs({ database: gateway.database, keyring })).toMatchObject({ ok: true });
  expect((await change(gateway, keyring)).blocked).toBeNull();
  expect(nothing(await columnsSealedWith(gateway, gateway.keyring))).toEqual([]);
});

test('two concurrent runs lose no concurrent changes of accounts and destinations', async () => {
  const [old, next] = [randomKeyring(), randomKeyring()];
  const first = await gatewayWith({ keyring: old });
  const ids = await fill(first, 5);
  const keyring = both(next, old);
  const gateway = await gatewayWith({ databaseUrl: first.databaseUrl, keyring });
  const wanted = new Map<string, string>();
  let running = true;
  const changing = ids.map(async (id) => {
    for (let n = 0; running || n < 3; n += 1) {
      const { status } = await gateway.admin.request('PATCH', `/admin/accounts/${id}`, {
        delivery_secret: `${id} ${n}`,
      });
      expect(status).toBe(200);
      wanted.set(id, `${id} ${n}`);
    }
  });
  const runs = await Promise.all([change(gateway, keyring), change(gateway, keyring)]);
  running = false;
  await Promise.all(changing);
  expect(runs.map(({ blocked, unreadable }) => [blocked, unreadable])).toEqual([
    [null, []],
    [null, []],
  ]);
  const box = createSecretBox(next);
  for (const id of ids) {
    const [row] = await rows(gateway.database, 'select delivery_secret from accounts where id = $1', [id]);
    expect(box.open(row?.delivery_secret as Buffer, { accountId: id, field: 'delivery_secret' })).toBe(wanted.get(id));
  }
  expect(nothing(await columnsSealedWith(gateway, old))).toEqual([]);
  expect(await verifyAuditLogs({ database: gateway.database, keyring: next })).toMatchObject({ ok: true });
});

test('a box that cannot be decrypted is reported with the reason and left unchanged', async () => {
  const [next, stranger] = [randomKeyring(), randomKeyring()];
  const gateway = await gatewayWith();
  const [one = '', two = '', three = ''] = await fill(gateway, 3);
  const write = (id: string, box: Uint8Array) =>
    rows(gateway.database, 'update accounts set delivery_secret = $2 where id = $1', [id, box]);
  const foreign = createSecretBox(stranger).seal('x', { accountId: one, field: 'delivery_secret' });
  const elsewhere = createSecretBox(gateway.keyring).seal('x', { accountId: one, field: 'delivery_secret' });
  await write(one, foreign);
  await write(two, elsewhere);
  await write(three, Buffer.from('no box'));
  const done = await change(gateway, both(next, gateway.keyring));
  const column = 'accounts.delivery_secret';
  expect(done.unreadable).toEqual(
    [
      { column, row: one, why: 'unknown key', keyId: stranger.current.id },
      { column, row: two, why: 'does not decrypt', keyId: gateway.keyring.current.id },
      { column, row: three, why: 'no box', keyId: null },
    ].sort((a, b) => a.row.localeCompare(b.row)),
  );
  const stored = await rows(gateway.database, 'select id, delivery_secret from accounts');
  expect(new Map(stored.map((row) => [row.id, Buffer.from(row.delivery_secret as Buffer)]))).toEqual(
    new Map([
      [one, Buffer.from(foreign)],
      [two, Buffer.from(elsewhere)],
      [three, Buffer.from('no box')],
    ]),
  );
});
