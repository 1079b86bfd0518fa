import type { Database } from '../database/database.ts';
import { lockKeys } from '../database/lock-keys.ts';
import type { Sql } from '../database/sql.ts';
import type { Keyring, SecretsKey } from '../secrets/keyring.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { storeEntries } from './audit-log.ts';
import { checkedEnds, whileChainIsHeld, writeChainEnd } from './chain.ts';
import { type AuditEntry, newEntry } from './entry.ts';
import { readSeals, retiredPlace, retiredText } from './retired-keys.ts';
import { sealNext } from './seal-next.ts';
import { beginning } from './seals.ts';
import { auditPurpose } from './signer.ts';

const lockAlone = { name: 'lock_retired_keys', text: 'select pg_advisory_xact_lock($1)' };
const retire = {
  name: 'retire_secrets_key',
  text: `
    update secrets_keys set retired_at = clock_timestamp(), check_value = null, retired_audit = $2
    where id = $1 and retired_at is null returning 1`,
};

/**
 * Retires a key, in one transaction:
 *
 * - All its entries get their seals.
 * - The ends of the chain are signed again with the current key.
 * - Its audit key is stored, encrypted with the current key, with the last place in the chain that it is valid for.
 * - An audit entry is written.
 *
 * After the commit, the database refuses values that were encrypted with the retired key.
 *
 * @returns whether the key was in use; a key that is already retired or was never registered is not changed.
 * @throws Tampered when the log cannot be sealed; otherwise the database's error.
 */
export function retireKey(
  { database, keyring }: { database: Database; keyring: Keyring },
  key: SecretsKey,
  entry: AuditEntry,
): Promise<boolean> {
  return whileChainIsHeld(database, async (sql) => {
    // Waits for open transactions that have written with this key. Later ones see that the key is retired.
    await sql.query(lockAlone, [lockKeys.retiredKeys]);
    await sealAll(sql, keyring);
    const seals = await readSeals(sql, keyring);
    const { head, anchor } = await checkedEnds(sql, seals);
    const text = retiredText(key.derive(auditPurpose), head ?? beginning);
    const box = createSecretBox(keyring).seal(text, retiredPlace(key.id));
    if ((await sql.query(retire, [key.id, box])).length === 0) return false;
    if (head) await writeChainEnd(sql, seals, 'head', head);
    if (anchor) await writeChainEnd(sql, seals, 'anchor', anchor, purgedBefore(anchor.purgedBefore));
    await storeEntries(sql, [newEntry(entry, seals, head)]);
    return true;
  });
}

async function sealAll(sql: Sql, keyring: Keyring): Promise<void> {
  const seals = await readSeals(sql, keyring);
  for (;;) {
    const { more } = await sealNext(sql, seals);
    if (!more) return;
  }
}

/** Converts an anchor's time from seconds since 1970 to a Date. Purges write whole milliseconds. */
const purgedBefore = (epoch: string | null) => (epoch === null ? null : new Date(Math.round(Number(epoch) * 1000)));
