import type { Sql } from '../database/sql.ts';
import { type ChainEnd, checkedEnds, writeChainEnd } from './chain.ts';
import { contentColumns, type EntryContent } from './entry-content.ts';
import { beginning, type ChainPoint, type Seals } from './seals.ts';

/** Entries in one transaction. They block the event loop for about 20 ms. */
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
 * Whether the gateway wrote this unsealed row and it is unchanged. A row older than the last purge is not genuine: it
 * is a copy of a deleted entry. The same holds for a row of a retired key, whose entries were all sealed before it was
 * retired.
 */
export function isOurs(seals: Seals, row: EntryContent & { mac: Buffer }, anchor: ChainEnd | null): boolean {
  if (anchor?.purgedBefore && Number(row.epoch) < Number(anchor.purgedBefore)) return false;
  return seals.isEntryMac(row, row.mac, null);
}

/** The result of sealing one batch. */
export interface SealedBatch {
  /** Whether there may be more entries to seal. */
  more: boolean;
  /** The ids of the rows that the gateway did not write. */
  foreign: string[];
  /** The new places in the chain. */
  points: ChainPoint[];
}

/**
 * Seals the next committed entries. The caller must hold the chain's lock.
 *
 * @throws Tampered when an end of the chain is not genuine; otherwise the database's error.
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
    // Some were deleted after they were read. The transaction is rolled back; the next call seals the remaining ones.
    if (done.length < ids.length) throw new Error('audit entries disappeared before they were sealed');
    await writeChainEnd(sql, seals, 'head', head);
  }
  if (foreign.length > 0) await sql.query(markForeign, [foreign]);
  // If nothing was done, all rows belong to keys that only other processes have.
  return { more: rows.length === entriesPerBatch && points.length + foreign.length > 0, foreign, points };
}
