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
 * Ends the use of a key: all its entries get their seals, the ends of the chain are signed anew with the current key, and its
 * audit key is kept in a box of the current key, together with the place up to which it vouches. From the commit on the
 * database takes nothing more that this key has sealed. An entry is written in the same transaction.
 *
 * @returns whether the key was in use; one that is retired already, or was never registered, is left alone.
 * @throws Tampered when the log cannot be sealed; what the database throws.
 */
export function retireKey(
  { database, keyring }: { database: Database; keyring: Keyring },
  key: SecretsKey,
  entry: AuditEntry,
): Promise<boolean> {
  return whileChainIsHeld(database, async (sql) => {
    // Waits for the transactions that have written with this key and are still open; later ones see that it is retired.
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

/** The time that an anchor has as seconds since 1970; purges write whole milliseconds. */
const purgedBefore = (epoch: string | null) => (epoch === null ? null : new Date(Math.round(Number(epoch) * 1000)));
