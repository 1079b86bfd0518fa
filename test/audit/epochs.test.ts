import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { newEntry } from '../../src/audit/entry.ts';
import { purgeAuditLogs } from '../../src/audit/purge.ts';
import { retireKey } from '../../src/audit/retire-key.ts';
import { retiredPlace, retiredText } from '../../src/audit/retired-keys.ts';
import { Sealer } from '../../src/audit/sealer.ts';
import { createSeals } from '../../src/audit/seals.ts';
import { auditPurpose } from '../../src/audit/signer.ts';
import { type NotedPoint, verifyAuditLogs } from '../../src/audit/verify.ts';
import { createKeyring, type Keyring } from '../../src/secrets/keyring.ts';
import { registerKeyring } from '../../src/secrets/known-keys.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { randomKeyring } from '../support/keyring.ts';
import { openTestLog, type TestLog } from './log.ts';

let log: TestLog;
beforeEach(async () => {
  log = await openTestLog(4);
});
afterEach(() => log.close());

const [first, second, third] = [randomKeyring(), randomKeyring(), randomKeyring()];
const both = (current: Keyring, previous: Keyring) => createKeyring(current.current.bytes, previous.current.bytes);
const entry = (n: number) => ({ actor: 'a', action: 'account.read' as const, ipAddress: '192.0.2.1', details: { n } });
const changed = { actor: 'gateway', action: 'secrets.reseal' as const, ipAddress: '127.0.0.1', details: {} };

async function write(keyring: Keyring, from: number, to: number): Promise<void> {
  await registerKeyring(log.database, keyring);
  const audit = new AuditLog({ ...log.deps, keyring, noteMs: 0 });
  for (let n = from; n <= to; n += 1) await audit.append(entry(n));
}
const seal = (keyring: Keyring) => new Sealer({ ...log.deps, keyring }).seal();
const verify = (keyring: Keyring, head?: NotedPoint) => verifyAuditLogs({ database: log.database, keyring }, { head });
const retire = (current: Keyring, previous: Keyring) =>
  retireKey({ database: log.database, keyring: both(current, previous) }, previous.current, changed);

/** Five entries of the first key, its retirement, and five of the second one: places 1 to 5, 6 for the change, 7 to 11. */
async function twoEpochs() {
  await write(first, 1, 5);
  await registerKeyring(log.database, both(second, first));
  expect(await retire(second, first)).toBe(true);
  await write(second, 6, 10);
  await seal(second);
}

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

/** Removes the triggers that guard against mistakes, as an attacker would. */
const switchGuardOff = () =>
  log.database.pool.query(
    'alter table audit_logs disable trigger refuse_retired_mac; alter table audit_chain disable trigger refuse_retired_mac',
  );

describe('an attacker with the old key and write access to the database', () => {
  /** Inserts an entry with a valid MAC of this key. */
  async function plant(keyring: Keyring) {
    await switchGuardOff();
    await new AuditLog({ ...log.deps, keyring }).append(entry(99));
  }

  test('cannot add an entry after the change, whether or not the key is still the previous one', async () => {
    await twoEpochs();
    await plant(first);
    for (const keyring of [second, both(second, first)])
      expect(await verify(keyring)).toMatchObject({ ok: false, checked: 11, failure: { kind: 'foreign' } });
    await seal(both(second, first));
    expect(await log.sql('select count(*)::integer as n from audit_logs where foreign_at is not null')).toEqual([
      { n: 1 },
    ]);
  });

  test('cannot seal an entry at a place after the change', async () => {
    await twoEpochs();
    await switchGuardOff();
    const forged = createSeals(first);
    const [at] = await log.sql('select * from audit_logs where seq = 9');
    const made = newEntry(entry(99), forged, null);
    const [before] = await log.sql('select seal from audit_logs where seq = 8');
    await log.sql(
      'update audit_logs set id = $1, actor = $2, action = $3, ip_address = $4, created_at = $5, details = $6, noted_seq = null, noted_seal = null, mac = $7, seal = $8 where id = $9',
      [
        made.id,
        made.actor,
        made.action,
        made.ip_address,
        made.createdAt,
        made.details,
        made.mac,
        forged.seal(before?.seal as Buffer, 9, made.id, made.mac),
        at?.id,
      ],
    );
    for (const keyring of [second, both(second, first)])
      expect(await verify(keyring)).toMatchObject({ ok: false, checked: 8, failure: { kind: 'changed', seq: 9 } });
  });

  test('cannot rewrite an entry from before the change', async () => {
    await twoEpochs();
    // The whole epoch of the old key is written again with valid seals and a forged entry in its middle.
    await switchGuardOff();
    const forged = createSeals(first);
    let previous = Buffer.alloc(32);
    for (let seq = 1; seq <= 5; seq += 1) {
      const [row] = await log.sql('select id from audit_logs where seq = $1', [seq]);
      const made = newEntry(entry(seq === 3 ? 99 : seq), forged, null);
      const sealed = forged.seal(previous, seq, made.id, made.mac);
      if (!sealed) throw new Error('the old key seals nothing');
      previous = Buffer.from(sealed);
      await log.sql(
        'update audit_logs set id = $1, actor = $2, created_at = $3, details = $4, noted_seq = null, noted_seal = null, mac = $5, seal = $6 where id = $7',
        [made.id, made.actor, made.createdAt, made.details, made.mac, sealed, row?.id],
      );
    }
    expect(await verify(second)).toMatchObject({
      ok: false,
      failure: { kind: 'changed', seq: 5, message: expect.stringContaining('a key was retired at') },
    });
  });

  test('cannot restore the head and anchor of the old key', async () => {
    await write(first, 1, 5);
    await seal(first);
    await log.keep();
    await registerKeyring(log.database, both(second, first));
    await retire(second, first);
    await write(second, 6, 7);
    await seal(second);
    await switchGuardOff();
    await log.putBack();
    for (const keyring of [second, both(second, first)])
      expect(await verify(keyring)).toMatchObject({ ok: false, head: null, failure: { kind: 'changed' } });
  });

  test('cannot add a retired key or move the place where one was retired', async () => {
    await twoEpochs();
    const stranger = randomKeyring();
    const text = retiredText(stranger.current.derive(auditPurpose), { seq: 1_000, seal: Buffer.alloc(32) });
    const place = retiredPlace(stranger.current.id);
    // Encrypted with any key but the current one.
    for (const keyring of [first, stranger]) {
      await log.sql(
        'insert into secrets_keys (id, retired_at, retired_audit) values ($1, now(), $2) on conflict (id) do update set retired_audit = $2',
        [stranger.current.id, createSecretBox(keyring).seal(text, place)],
      );
      await plant(stranger);
      expect(await verify(second)).toMatchObject({ ok: false, failure: { kind: 'foreign' } });
      await log.sql('delete from audit_logs where seq is null');
    }
    // The box of one retired key in the row of another.
    await log.sql(
      'update secrets_keys set retired_audit = (select retired_audit from secrets_keys where id = $2) where id = $1',
      [stranger.current.id, first.current.id],
    );
    await plant(stranger);
    expect(await verify(second)).toMatchObject({ ok: false, failure: { kind: 'foreign' } });
  });
});

test('without the row of a retired key, the entries of that key do not verify', async () => {
  await twoEpochs();
  await log.sql('delete from secrets_keys where id = $1', [first.current.id]);
  expect(await verify(second)).toMatchObject({ ok: false, checked: 0, failure: { kind: 'changed', seq: 1 } });
});

test('the head cannot be restored to a state before the change, even one that the new key signed', async () => {
  await write(first, 1, 3);
  await registerKeyring(log.database, both(second, first));
  await write(both(second, first), 4, 4);
  // The new key signs a head before the old key is retired.
  await seal(both(second, first));
  await log.keep();
  await write(both(second, first), 5, 6);
  await retire(second, first);
  await switchGuardOff();
  await log.putBack();
  expect(await verify(second)).toMatchObject({
    ok: false,
    failure: { kind: 'missing', seq: 5, message: expect.stringContaining('before a change of SECRETS_KEY') },
  });
});
