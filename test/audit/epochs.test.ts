import { expect, test, vi } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { purgeAuditLogs } from '../../src/audit/purge.ts';
import { retiredPlace } from '../../src/audit/retired-keys.ts';
import type { Keyring } from '../../src/secrets/keyring.ts';
import { registerKeyring } from '../../src/secrets/known-keys.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { randomKeyring } from '../support/keyring.ts';
import { both, entry, first, log, logForEachTest, retire, seal, second, third, verify, write } from './two-keys.ts';

logForEachTest();

test('both epochs verify with the new key alone, also against heads noted in either epoch', async () => {
  await write(first, 1, 3);
  await seal(first);
  const { head: early } = await verify(first);
  await write(first, 4, 5);
  await registerKeyring(log.database, both(second, first));
  await retire(second, first);
  const { head: atChange } = await verify(second);
  await write(second, 6, 10);
  await seal(second);
  expect(await verify(second)).toMatchObject({ ok: true, checked: 11, unsealed: 0, head: { seq: 11 } });
  expect([early?.seq, atChange?.seq]).toEqual([3, 5]);
  for (const noted of [early, atChange]) expect(await verify(second, noted ?? undefined)).toMatchObject({ ok: true });
  expect(await verify(first)).toMatchObject({ ok: false, head: null });
});

test('entries of both keys in any order, sealed by processes with either key, form one chain', async () => {
  const [before, after] = [both(first, second), both(second, first)];
  for (let n = 1; n <= 12; n += 1) {
    await write(n % 2 ? before : after, n, n);
    if (n % 3 === 0) await seal(n % 4 ? before : after);
  }
  for (const keyring of [before, after]) expect(await verify(keyring)).toMatchObject({ ok: true, checked: 12 });
  expect(await retire(second, first)).toBe(true);
  await seal(second);
  expect(await verify(second)).toMatchObject({ ok: true, checked: 13 });
});

test('after several changes of the key, all epochs verify with the newest key alone', async () => {
  const keys = Array.from({ length: 5 }, randomKeyring);
  let n = 0;
  for (const [at, key] of keys.entries()) {
    const previous = keys[at - 1];
    if (previous) {
      await registerKeyring(log.database, both(key, previous));
      await retire(key, previous);
      await resealRetired(both(key, previous));
    }
    await write(key, n + 1, n + 4);
    n += 4;
  }
  const last = keys.at(-1) ?? first;
  await seal(last);
  expect(await verify(last)).toMatchObject({ ok: true, checked: n + keys.length - 1, unsealed: 0 });
});

/** Encrypts the retired keys again, as the command `reseal` does. */
async function resealRetired(keyring: Keyring): Promise<void> {
  const box = createSecretBox(keyring);
  for (const { id, retired_audit: sealed } of await log.sql(
    'select id, retired_audit from secrets_keys where retired_at is not null',
  )) {
    const text = box.open(sealed as Buffer, retiredPlace(String(id))) ?? '';
    await log.sql('update secrets_keys set retired_audit = $2 where id = $1', [
      id,
      box.seal(text, retiredPlace(String(id))),
    ]);
  }
}

test('an epoch can end with an empty log, and with one that was never sealed', async () => {
  await registerKeyring(log.database, first);
  await registerKeyring(log.database, both(second, first));
  expect(await retire(second, first)).toBe(true);
  expect(await retire(second, first)).toBe(false);
  await seal(second);
  expect(await verify(second)).toMatchObject({ ok: true, checked: 1 });
  await write(second, 1, 2);
  await registerKeyring(log.database, both(third, second));
  expect(await retire(third, second)).toBe(true);
  expect(await verify(both(third, second))).toMatchObject({ ok: true, checked: 3, unsealed: 1 });
});

test('purges cross the end of an epoch, and continue from an anchor that the old key signed', async () => {
  const purge = (keyring: Keyring, days: number) =>
    purgeAuditLogs(
      { ...log.deps, keyring, entriesPerTransaction: 4 },
      { olderThanDays: days, actor: 'bob', ipAddress: '192.0.2.9' },
    );
  const older = (days: number, keyring: Keyring, n: number) => writeOld(keyring, days, n);
  for (let n = 1; n <= 3; n += 1) await older(40, first, n);
  for (let n = 4; n <= 6; n += 1) await older(20, first, n);
  await seal(first);
  expect(await purge(first, 30)).toBe(3);
  await registerKeyring(log.database, both(second, first));
  await retire(second, first);
  expect(await verify(second)).toMatchObject({ ok: true, anchor: { seq: 3 } });
  for (let n = 7; n <= 9; n += 1) await older(15, second, n);
  await seal(second);
  expect(await purge(second, 10)).toBe(3);
  expect(await verify(second)).toMatchObject({ ok: true, anchor: { seq: 6 } });
  expect(await purge(second, 7)).toBe(0);
  await seal(second);
  expect(await verify(second)).toMatchObject({ ok: true, unsealed: 0, failure: null });
});

async function writeOld(keyring: Keyring, days: number, n: number) {
  await registerKeyring(log.database, keyring);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - days * 86_400_000 });
  try {
    await new AuditLog({ ...log.deps, keyring }).append(entry(n));
  } finally {
    vi.useRealTimers();
  }
}
