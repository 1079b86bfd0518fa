import { describe, expect, test } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { newEntry } from '../../src/audit/entry.ts';
import { retiredPlace, retiredText } from '../../src/audit/retired-keys.ts';
import { createSeals } from '../../src/audit/seals.ts';
import { auditPurpose } from '../../src/audit/signer.ts';
import type { Keyring } from '../../src/secrets/keyring.ts';
import { registerKeyring } from '../../src/secrets/known-keys.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { randomKeyring } from '../support/keyring.ts';
import { both, entry, first, log, logForEachTest, retire, seal, second, twoEpochs, verify, write } from './two-keys.ts';

logForEachTest();

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
