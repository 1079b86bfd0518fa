import type { Sql } from '../database/sql.ts';
import { type ChainEnd, checkedEnds, writeChainEnd } from './chain.ts';
import { contentColumns, type EntryContent } from './entry-content.ts';
import { beginning, type ChainPoint, type Seals } from './seals.ts';

/** Entries a transaction: about 20 ms of this process's time, in which nothing else happens in it. */
const entriesPerBatch = 1_000;

const readUnsealed = {
  name: 'read_unsealed_audit_entries',
  text: `select ${contentColumns} from audit_logs where seq is null and foreign_at is null order by id limit ${entriesPerBatch}`,
};
const writeSeals = {
  name: 'seal_audit_entries',
  text: `
    update audit_logs a set seq = s.seq, seal = s.seal from unnest($1::uuid[], $2::bigint[], $3::bytea[]) as s (id, seq, seal)
    where a.id = s.id and a.seq is null and a.foreign_at is null
    returning 1`,
};
const markForeign = {
  name: 'mark_foreign_audit_entries',
  text: 'update audit_logs set foreign_at = now() where id = any($1::uuid[]) and seq is null',
};

/**
 * Whether an unsealed row is one that the gateway wrote and that nobody changed. One from before what was purged is not:
 * it is a copy of an entry that was deleted. Nor is one of a retired key: all of those were sealed before it retired.
 */
export function isOurs(seals: Seals, row: EntryContent & { mac: Buffer }, anchor: ChainEnd | null): boolean {
  if (anchor?.purgedBefore && Number(row.epoch) < Number(anchor.purgedBefore)) return false;
  return seals.isEntryMac(row, row.mac, null);
}

/** What a batch has done. */
export interface SealedBatch {
  /** Whether there may be more to seal. */
  more: boolean;
  /** The ids of the rows that the gateway did not write. */
  foreign: string[];
  /** The new places of the chain. */
  points: ChainPoint[];
}

/**
 * Chains the next entries that are committed, while the caller holds the chain.
 *
 * @throws Tampered when it cannot go on from where the chain ends; else what the database throws.
 */
export async function sealNext(sql: Sql, seals: Seals): Promise<SealedBatch> {
  const rows = await sql.query<EntryContent & { mac: Buffer }>(readUnsealed, []);
  const ends = await checkedEnds(sql, seals);
  let head: ChainPoint = ends.head ?? beginning;
  const [ids, points, foreign]: [string[], ChainPoint[], string[]] = [[], [], []];
  for (const row of rows) {
    const seq = head.seq + 1;
    const seal = isOurs(seals, row, ends.anchor) ? seals.seal(head.seal, seq, row.id, row.mac) : null;
    if (seal === null) {
      if (!seals.isOfOthers(row.mac)) foreign.push(row.id);
      continue;
    }
    head = { seq, seal };
    ids.push(row.id);
    points.push(head);
  }
  if (ids.length > 0) {
    const done = await sql.query(writeSeals, [ids, points.map(({ seq }) => seq), points.map(({ seal }) => seal)]);
    // Deleted since they were read; the next round seals what is there then.
    if (done.length < ids.length) throw new Error('entries of the audit log were gone before they were sealed');
    await writeChainEnd(sql, seals, 'head', head);
  }
  if (foreign.length > 0) await sql.query(markForeign, [foreign]);
  // With nothing done, the rows that were read are all of keys that only other processes know.
  return { more: rows.length === entriesPerBatch && points.length + foreign.length > 0, foreign, points };
}
