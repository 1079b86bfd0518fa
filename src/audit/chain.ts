import type { Database } from '../database/database.ts';
import { lockKeys } from '../database/lock-keys.ts';
import type { Sql } from '../database/sql.ts';
import { inTransaction, sqlOfClient } from '../database/transaction.ts';
import { epochText } from './entry.ts';
import type { ChainPoint, Seals } from './seals.ts';
import type { ChainPart } from './signer.ts';

/** A stored end of the chain whose MAC is valid. */
export interface ChainEnd extends ChainPoint {
  /** Only for the anchor: all purged entries are older than this; seconds since 1970 with six decimals. */
  purgedBefore: string | null;
}

/** Both ends of the chain; `forged` when the row's MAC is invalid. */
export type ChainEnds = Record<ChainPart, ChainEnd | 'forged' | null>;

/** The first fault in the audit log. */
export interface AuditFault {
  /**
   * - `changed`: the row differs from what the gateway wrote
   * - `missing`: a row was deleted
   * - `foreign`: the gateway did not write this row
   */
  kind: 'changed' | 'missing' | 'foreign';
  /** The place in the chain; null when there is none. */
  seq: number | null;
  /** The entry's id; null when the entry is missing. */
  id: string | null;
  message: string;
}

/** The log was tampered with, so the current operation on it cannot continue. */
export class Tampered extends Error {
  override name = 'Tampered';
  readonly fault: AuditFault;

  constructor(fault: AuditFault) {
    super(`the audit log was tampered with: ${fault.message}`);
    this.fault = fault;
  }
}

const readEnds = {
  name: 'read_audit_chain',
  text: 'select part, seq, seal, extract(epoch from purged_before)::text as purged_before, mac from audit_chain',
};
const writeEnd = {
  name: 'write_audit_chain',
  text: `
    insert into audit_chain (part, seq, seal, purged_before, mac) values ($1, $2, $3, $4, $5)
    on conflict (part) do update
    set seq = excluded.seq, seal = excluded.seal, purged_before = excluded.purged_before, mac = excluded.mac`,
};
const anySealed = { name: 'any_sealed_audit_entry', text: 'select 1 from audit_logs where seq is not null limit 1' };

/**
 * Runs `work` in a transaction with the exclusive lock of the chain.
 *
 * @throws the database's error when another process holds the lock for more than 5 s.
 */
export function whileChainIsHeld<T>(database: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  return inTransaction(database.pool, async (client) => {
    // Below the pool's own time limit. The idle limit ends a transaction whose process hangs while it holds the lock.
    await client.query("set local lock_timeout = '5s'; set local idle_in_transaction_session_timeout = '30s'");
    await client.query('select pg_advisory_xact_lock($1)', [lockKeys.auditChain]);
    return work(sqlOfClient(client));
  });
}

/** Reads both ends of the chain: the head, and the anchor that the last purge has left. */
export async function readChainEnds(sql: Sql, seals: Seals): Promise<ChainEnds> {
  const ends: ChainEnds = { head: null, anchor: null };
  const rows = await sql.query<{
    part: ChainPart;
    seq: string;
    seal: Buffer;
    purged_before: string | null;
    mac: Buffer;
  }>(readEnds, []);
  for (const { part, seq, seal, purged_before: purgedBefore, mac } of rows) {
    const ours = seals.isPartMac(part, seq, seal, purgedBefore, mac);
    ends[part] = ours ? { seq: Number(seq), seal, purgedBefore } : 'forged';
  }
  return ends;
}

/**
 * Reads both ends of the chain and checks that they are genuine and consistent, as far as possible without walking the
 * chain.
 *
 * @throws Tampered
 */
export async function checkedEnds(sql: Sql, seals: Seals): Promise<Record<ChainPart, ChainEnd | null>> {
  const { head, anchor } = await readChainEnds(sql, seals);
  if (head === 'forged') throw broken('changed', null, 'the head is not the one that the gateway wrote');
  if (anchor === 'forged') throw broken('changed', null, 'the anchor is not the one that the gateway wrote');
  if (head === null && (anchor !== null || (await sql.query(anySealed, [])).length > 0))
    throw broken('missing', null, 'the head is gone');
  const retiredAt = seals.ends.at(-1)?.seq ?? 0;
  if (retiredAt > (head?.seq ?? 0))
    throw broken('missing', (head?.seq ?? 0) + 1, 'the head was set back to before a change of SECRETS_KEY');
  if (head && anchor && anchor.seq > head.seq)
    throw broken('missing', head.seq + 1, 'the head was set back to before the anchor');
  if (head && anchor && anchor.seq === head.seq && !anchor.seal.equals(head.seal))
    throw broken('changed', head.seq, 'head and anchor are of different chains');
  return { head, anchor };
}

function broken(kind: AuditFault['kind'], seq: number | null, message: string): Tampered {
  return new Tampered({ kind, seq, id: null, message });
}

/** Writes an end of the chain, in the transaction that changes the chain. */
export async function writeChainEnd(
  sql: Sql,
  seals: Seals,
  part: ChainPart,
  { seq, seal }: ChainPoint,
  purgedBefore: Date | null = null,
): Promise<void> {
  const mac = seals.partMac(part, String(seq), seal, purgedBefore && epochText(purgedBefore));
  await sql.query(writeEnd, [part, seq, seal, purgedBefore, mac]);
}
