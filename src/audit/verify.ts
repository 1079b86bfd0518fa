import type { z } from 'zod';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { inTransaction, sqlOfClient } from '../database/transaction.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { auditVerification } from './audit-schemas.ts';
import { type AuditFault, type ChainEnd, checkedEnds, readChainEnds, Tampered } from './chain.ts';
import { faultOutsideChain } from './outside-chain.ts';
import { PurgeWitness } from './purge-witness.ts';
import { readSeals } from './retired-keys.ts';
import { beginning, type ChainPoint, type Seals } from './seals.ts';
import { missingFrom, sealedPages, stepTo } from './walk.ts';

/** A place in the chain and its seal in hex, as written to logs, backups and purge entries. */
export type NotedPoint = NonNullable<Verification['head']>;

/** How far a verification is: entries that were checked, of those that were sealed when it began. */
export interface VerificationProgress {
  checked: number;
  of: number;
}

export interface VerifyOptions {
  /** A head that was noted earlier; the chain must still contain it, unless it was purged since. */
  head?: NotedPoint | undefined;
  /** Ends the verification after the current page of entries; the signal's reason is thrown. */
  signal?: AbortSignal;
  progress?: (now: VerificationProgress) => void;
}

export type Verification = z.infer<typeof auditVerification>;

const countUnsealed = {
  name: 'count_unsealed_audit_entries',
  text: 'select count(*)::integer as unsealed from audit_logs where seq is null and foreign_at is null',
};

/**
 * Verifies the chain from the last purge, or the beginning, to its end, and returns the first fault. It reads one
 * snapshot, a few hundred rows at a time, so entries can be written, sealed and purged at the same time.
 *
 * An attacker with write access to the database can restore an older state of the whole log, set the head back, or
 * delete everything. If a process has been running since before that, its later entries reveal it, because they note
 * the head. Otherwise only a comparison with a head that was noted elsewhere reveals it: in a log line, a backup or an
 * earlier response.
 *
 * @throws RangeError for a noted head with a number below 1; otherwise the database's error.
 */
export async function verifyAuditLogs(
  { database, keyring }: { database: Database; keyring: Keyring },
  options: VerifyOptions = {},
): Promise<Verification> {
  const { head: noted } = options;
  if (noted && !(noted.seq >= 1)) throw new RangeError('the first head has the number 1');
  // Uses the pool for readers: a verification may take minutes, and webhooks must not wait for it.
  return inTransaction(database.readers, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    const sql = sqlOfClient(client);
    const seals = await readSeals(sql, keyring);
    const ends = await readChainEnds(sql, seals);
    const [count] = await sql.query<{ unsealed: number }>(countUnsealed, []);
    const { checked, failure } = await walk(sql, seals, options);
    const shown = (end: ChainEnd | 'forged' | null) => (end === 'forged' ? null : end && toNoted(end));
    return {
      ok: failure === null,
      checked,
      unsealed: count?.unsealed ?? 0,
      head: shown(ends.head),
      anchor: shown(ends.anchor),
      failure,
    };
  });
}

async function walk(
  sql: Sql,
  seals: Seals,
  { head: noted, signal, progress }: VerifyOptions,
): Promise<{ checked: number; failure: AuditFault | null }> {
  let checked = 0;
  try {
    const { head, anchor } = await checkedEnds(sql, seals);
    const purges = new PurgeWitness(anchor);
    const begin: ChainPoint = anchor ?? beginning;
    let at = begin;
    if (noted && anchor) failIf(faultOfNoted(noted, at, null));
    for await (const page of sealedPages(sql, at.seq, head?.seq ?? 0)) {
      for (const row of page) {
        const step = stepTo(seals, begin, at, row);
        if (!step.ok) throw new Tampered(step.fault);
        at = step.point;
        if (noted) failIf(faultOfNoted(noted, at, row.id));
        purges.see(row);
        checked++;
      }
      signal?.throwIfAborted();
      progress?.({ checked, of: Math.max(0, (head?.seq ?? 0) - begin.seq) });
    }
    if (head && at.seq < head.seq) failIf(missingFrom(at.seq + 1, head.seq));
    if (head && !at.seal.equals(head.seal))
      failIf({ kind: 'changed', seq: at.seq, id: null, message: 'the chain is not the one that the head is of' });
    if (noted && noted.seq > at.seq) failIf(missingFrom(at.seq + 1, noted.seq));
    failIf(await faultOutsideChain(sql, seals, { anchor, head: at, purges }));
    failIf(purges.fault());
    return { checked, failure: null };
  } catch (error) {
    if (error instanceof Tampered) return { checked, failure: error.fault };
    throw error;
  }
}

function failIf(fault: AuditFault | null): void {
  if (fault) throw new Tampered(fault);
}

function faultOfNoted(noted: NotedPoint, at: ChainPoint, id: string | null): AuditFault | null {
  if (noted.seq !== at.seq || noted.seal.toLowerCase() === at.seal.toString('hex')) return null;
  return { kind: 'changed', seq: at.seq, id, message: 'the chain up to here is not the one whose head was noted' };
}

const toNoted = ({ seq, seal }: ChainPoint): NotedPoint => ({ seq, seal: seal.toString('hex') });
