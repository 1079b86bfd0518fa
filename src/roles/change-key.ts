import { setTimeout as sleep } from 'node:timers/promises';
import { storeEntries } from '../audit/audit-log.ts';
import { Tampered } from '../audit/chain.ts';
import { type AuditDetails, type AuditEntry, newEntry } from '../audit/entry.ts';
import { retireKey } from '../audit/retire-key.ts';
import { createSeals } from '../audit/seals.ts';
import type { Database } from '../database/database.ts';
import { databaseFailure } from '../database/errors.ts';
import type { Sql } from '../database/sql.ts';
import { uuidFloor } from '../database/uuid-time.ts';
import type { Keyring, SecretsKey } from '../secrets/keyring.ts';
import { type KnownKey, readKnownKeys, registerKeyring } from '../secrets/known-keys.ts';
import { type Resealed, resealAll } from '../secrets/reseal.ts';
import { StartError } from '../shared/start-error.ts';
import { sealedColumns } from './sealed-columns.ts';

/** Tries of a statement. A held lock, a lost connection or a deadlock may be temporary. */
const tries = 6;
const pauseMs = 1_000;

/** The result of changing the key. */
export interface KeyChange extends Resealed {
  /** Why the previous key could not be retired; null when it was, or when there is none. */
  blocked: string | null;
}

export interface KeyChangeOptions {
  database: Database;
  keyring: Keyring;
  /** Allows going back from a newer key to an older one. */
  back: boolean;
  /** Ends the function between two batches. */
  signal: AbortSignal;
  onProgress(line: string): void;
}

/**
 * Encrypts all values again with the current key and retires the previous one. It can run while the gateway runs, twice
 * at the same time, and again after it was killed.
 *
 * @throws StartError when the keyring does not match the database; otherwise the database's error.
 */
export async function changeKey(options: KeyChangeOptions): Promise<KeyChange> {
  const { database, keyring, signal, onProgress } = options;
  await registerKeyring(database, keyring);
  const { previous } = keyring;
  const known = await readKnownKeys(database);
  const isInUse = previous !== null && known.some((key) => key.id === previous.id && key.retired_at === null);
  if (previous && isInUse && !options.back) refuseToGoBack(known, keyring.current, previous);
  const since = new Date();
  const walk = () => resealAll(persistent(database), keyring, sealedColumns, { signal, onProgress });
  const first = await walk();
  if (!previous || !isInUse) {
    if (totalOf(first) > 0) await writeEntry(database, keyring, entryOf(keyring, first, false));
    return { ...first, blocked: null };
  }
  const blocked = await retireUnlessUsed(options, previous, since, entryOf(keyring, first, true));
  if (blocked !== null) {
    if (totalOf(first) > 0) await writeEntry(database, keyring, entryOf(keyring, first, false));
    return { ...first, blocked };
  }
  onProgress(`  key ${previous.id} is retired`);
  // A transaction may have copied a value, which it had read earlier, to a row that the first walk had already passed.
  const second = await walk();
  return { byColumn: sumOf(first.byColumn, second.byColumn), unreadable: second.unreadable, blocked: null };
}

/** Retires the key. Returns null, or the reason why it cannot be retired yet. */
async function retireUnlessUsed(
  { database, keyring }: KeyChangeOptions,
  previous: SecretsKey,
  since: Date,
  entry: AuditEntry,
): Promise<string | null> {
  const [used] = await database.query<{ at: Date | null }>(lastWrittenWith, [
    uuidFloor(since),
    Buffer.from(previous.id, 'hex'),
  ]);
  if (used?.at)
    return (
      `a process still seals with key ${previous.id}: it wrote to the audit log at ${used.at.toISOString()}. ` +
      'Restart each process with the new SECRETS_KEY, then run this again.'
    );
  try {
    await persistently(() => retireKey({ database, keyring }, previous, entry));
    return null;
  } catch (error) {
    if (!(error instanceof Tampered)) throw error;
    return `${error.message}. GET /admin/audit-logs/verify shows where.`;
  }
}

const lastWrittenWith = {
  name: 'last_audit_entry_of_key',
  text: 'select max(created_at) as at from audit_logs where id >= $1 and substring(mac from 1 for 4) = $2',
};

/** Refuses a keyring in the wrong order: a process with outdated settings would undo the work of the others. */
function refuseToGoBack(known: KnownKey[], current: SecretsKey, previous: SecretsKey): void {
  const order = known.map(({ id }) => id);
  if (order.indexOf(previous.id) < order.indexOf(current.id)) return;
  throw new StartError(
    `SECRETS_KEY (key ${current.id}) was in use before SECRETS_KEY_PREVIOUS (key ${previous.id}) was. To go on to key ` +
      `${previous.id}, exchange the two settings. To give up that key for good and go back, run \`npm run reseal -- --back\`.`,
  );
}

/** The audit entry for resealing. The actor is the gateway itself, so the address is that of this machine. */
function entryOf(keyring: Keyring, { byColumn, unreadable }: Resealed, retired: boolean): AuditEntry {
  const details: AuditDetails = {
    key: keyring.current.id,
    previous_key: keyring.previous?.id ?? null,
    retired,
    resealed: Object.fromEntries(Object.entries(byColumn).filter(([, boxes]) => boxes > 0)),
    unreadable: unreadable.length,
  };
  return { actor: 'gateway', ipAddress: '127.0.0.1', action: 'secrets.reseal', details };
}

const writeEntry = (sql: Sql, keyring: Keyring, entry: AuditEntry) =>
  storeEntries(sql, [newEntry(entry, createSeals(keyring), null)]);

export const totalOf = ({ byColumn }: Pick<Resealed, 'byColumn'>): number =>
  Object.values(byColumn).reduce((sum, boxes) => sum + boxes, 0);

const sumOf = (one: Record<string, number>, other: Record<string, number>) =>
  Object.fromEntries(Object.keys({ ...one, ...other }).map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));

/** Retries failing statements. They must be idempotent. */
const persistent = (sql: Sql): Sql => ({
  query: (statement, values) => persistently(() => sql.query(statement, values)),
});

async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (let left = tries; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left <= 1 || error instanceof Tampered || databaseFailure(error) === 'bad_data') throw error;
      await sleep(pauseMs);
    }
  }
}
