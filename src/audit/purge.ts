import { databaseNowMs } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { dayMs } from '../database/uuid-time.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { Log } from '../shared/log.ts';
import { storeEntries } from './audit-log.ts';
import { type AuditFault, type ChainEnd, checkedEnds, Tampered, whileChainIsHeld, writeChainEnd } from './chain.ts';
import { type AuditDetails, newEntry } from './entry.ts';
import { readSeals } from './retired-keys.ts';
import { Sealer } from './sealer.ts';
import { beginning, type ChainPoint, type Seals } from './seals.ts';
import { sealedPages, stepTo } from './walk.ts';

/** Younger entries are never purged (R73). */
const shortestRetentionDays = 7;
/** Takes one or two seconds, so that others do not wait longer for the chain's lock. */
const entriesPerTransaction = 20_000;

const deleteSealed = {
  name: 'purge_audit_entries',
  text: 'delete from audit_logs where seq > $1 and seq <= $2 returning 1',
};
const deleteForeign = {
  name: 'purge_foreign_audit_entries',
  text: `
    delete from audit_logs where id in (
      select id from audit_logs where foreign_at < $1 and seq is null order by foreign_at limit $2)
    returning 1`,
};

export interface PurgeOptions {
  /** A whole number, 7 or more. */
  olderThanDays: number;
  /** The time from which ages are computed: by default that of PostgreSQL's clock, because that of a worker may be wrong. */
  now?: Date;
  actor: string;
  ipAddress: string;
}

/**
 * Deletes the entries at the beginning of the chain that are older than a number of days, 20,000 in each transaction.
 * Each transaction writes an anchor, from which the remaining chain can be verified, and repeats it in an `audit.purge`
 * entry: `{older_than_days, deleted, foreign_deleted, anchor: {seq, seal} | null, stopped?}`. If the process is killed
 * between two transactions, the log still verifies.
 *
 * Entries are verified before they are deleted. A purge stops before the first entry that was tampered with (`stopped`
 * has the reason), because deleting it would destroy the evidence. Rows that the gateway did not write are deleted when
 * they were found that many days ago; the entry has their number.
 *
 * @returns the number of deleted rows.
 * @throws RangeError for fewer than 7 days; otherwise the database's error.
 */
export async function purgeAuditLogs(
  deps: {
    database: Database;
    keyring: Keyring;
    log: Log;
    entriesPerTransaction?: number;
    /** Ends the purge before the next transaction; the signal's reason is thrown. */
    signal?: AbortSignal;
    /** Called after each transaction with the number of deleted rows so far. */
    progress?: (now: { deleted: number }) => void;
  },
  options: PurgeOptions,
): Promise<number> {
  const { olderThanDays, now, ...caller } = options;
  if (!Number.isInteger(olderThanDays) || olderThanDays < shortestRetentionDays)
    throw new RangeError(`only entries older than ${shortestRetentionDays} days or more are purged`);
  const nowMs = now?.getTime() ?? (await databaseNowMs(deps.database));
  const before = new Date(nowMs - olderThanDays * dayMs);
  const limit = deps.entriesPerTransaction ?? entriesPerTransaction;
  await new Sealer(deps).seal().catch((error: unknown) => {
    // The purge below then stops for the same reason and records it in its entry.
    if (!(error instanceof Tampered)) throw error;
  });
  let deleted = 0;
  for (let first = true; ; first = false) {
    deps.signal?.throwIfAborted();
    const batch = await whileChainIsHeld(deps.database, async (sql) => {
      const seals = await readSeals(sql, deps.keyring);
      const purged = await purgeSome(sql, seals, before, limit);
      const { anchor, fault } = purged;
      const details: AuditDetails = {
        older_than_days: olderThanDays,
        deleted: purged.deleted,
        foreign_deleted: purged.foreignDeleted,
        anchor: anchor && { seq: anchor.seq, seal: anchor.seal.toString('hex') },
        ...(fault && { stopped: { ...fault } }),
      };
      if (first || fault || purged.deleted + purged.foreignDeleted > 0)
        await storeEntries(sql, [newEntry({ ...caller, action: 'audit.purge', details }, seals, purged.head)]);
      return purged;
    });
    deleted += batch.deleted + batch.foreignDeleted;
    deps.progress?.({ deleted });
    if (batch.fault) deps.log.error({ ...batch.fault }, 'audit log purge stopped, the log was tampered with');
    if (batch.deleted < limit && batch.foreignDeleted < limit) return deleted;
  }
}

interface Purged {
  deleted: number;
  foreignDeleted: number;
  /** The new beginning of the chain. */
  anchor: ChainPoint | null;
  /** The end of the chain. */
  head: ChainPoint | null;
  /** The fault at which the purge stopped; null when it stopped at the first young entry or at the limit. */
  fault: AuditFault | null;
}

async function purgeSome(sql: Sql, seals: Seals, before: Date, limit: number): Promise<Purged> {
  let ends: { head: ChainEnd | null; anchor: ChainEnd | null };
  try {
    ends = await checkedEnds(sql, seals);
  } catch (error) {
    if (!(error instanceof Tampered)) throw error;
    return { deleted: 0, foreignDeleted: 0, anchor: null, head: null, fault: error.fault };
  }
  const foreignDeleted = (await sql.query(deleteForeign, [before, limit])).length;
  const from: ChainPoint = ends.anchor ?? beginning;
  const { to, fault } = await endOfOld(sql, seals, { from, head: ends.head ?? beginning, before, limit });
  if (to.seq === from.seq) return { deleted: 0, foreignDeleted, anchor: ends.anchor, head: ends.head, fault };
  const deleted = (await sql.query(deleteSealed, [from.seq, to.seq])).length;
  if (deleted !== to.seq - from.seq) throw new Error('audit entries disappeared during the purge');
  // Never decreases: an older entry that appears later is a copy of a purged one.
  const purgedBeforeMs = Math.max(before.getTime(), Math.round(Number(ends.anchor?.purgedBefore ?? 0) * 1000));
  await writeChainEnd(sql, seals, 'anchor', to, new Date(purgedBeforeMs));
  return { deleted, foreignDeleted, anchor: to, head: ends.head, fault };
}

/** The end of the run of old, unchanged entries after `from` without a gap; at most `limit` entries. */
async function endOfOld(
  sql: Sql,
  seals: Seals,
  { from, head, before, limit }: { from: ChainPoint; head: ChainPoint; before: Date; limit: number },
): Promise<{ to: ChainPoint; fault: AuditFault | null }> {
  let to = from;
  for await (const page of sealedPages(sql, from.seq, Math.min(head.seq, from.seq + limit))) {
    for (const row of page) {
      const step = stepTo(seals, from, to, row);
      if (!step.ok) return { to, fault: step.fault };
      if (Number(row.epoch) * 1000 >= before.getTime()) return { to, fault: null };
      to = step.point;
    }
  }
  return { to, fault: null };
}
