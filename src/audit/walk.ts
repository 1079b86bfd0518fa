import type { Sql } from '../database/database.ts';
import type { AuditFault } from './chain.ts';
import { contentColumns, type EntryContent } from './entry.ts';
import type { ChainPoint, Seals } from './seals.ts';

/** A row that has a place in the chain. */
export interface SealedRow extends EntryContent {
  mac: Buffer;
  seq: string;
  seal: Buffer | null;
  is_foreign: boolean;
}

/** Rows a page: checking one page takes about 20 ms, in which nothing else happens in this process. */
const rowsPerPage = 1_000;
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

// By place and id, so that no row is skipped even where somebody gave two the same place.
const readSealed = {
  name: 'read_sealed_audit_entries',
  text: `
    select ${contentColumns}, seq, seal, foreign_at is not null as is_foreign from audit_logs
    where seq >= $1 and (seq > $1 or id > $2) and seq <= $3 order by seq, id limit $4`,
};

/** The rows whose place is after `from` and up to `to`, in the order of the chain, a page at a time. */
export async function* sealedRows(sql: Sql, from: number, to: number): AsyncGenerator<SealedRow> {
  let after = { seq: String(from), id: highestId };
  for (;;) {
    const page = await sql.query<SealedRow>(readSealed, [after.seq, after.id, to, rowsPerPage]);
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < rowsPerPage) return;
    after = last;
  }
}

/** What is wrong with the row that comes after `previous` in the chain; null: it is the one that was sealed there. */
export function faultOfNext(seals: Seals, previous: ChainPoint, row: SealedRow): AuditFault | null {
  const seq = previous.seq + 1;
  const { id } = row;
  if (Number(row.seq) > seq) return missingFrom(seq, Number(row.seq) - 1);
  if (Number(row.seq) < seq) return { kind: 'foreign', seq: Number(row.seq), id, message: 'its place is taken twice' };
  const seal = seals.seal(previous.seal, seq, id, row.mac);
  const changed = (message: string): AuditFault => ({ kind: 'changed', seq, id, message });
  if (row.seal === null || !seal.equals(row.seal)) return changed('the entry does not fit its seal');
  if (!seals.entryMac(row).equals(row.mac)) return changed('the entry does not fit its MAC');
  return row.is_foreign ? changed('a sealed entry was marked as foreign') : null;
}

/** Entries that the chain says there were, and that are gone. */
export function missingFrom(first: number, last: number): AuditFault {
  const which = first === last ? `entry ${first} is` : `entries ${first} to ${last} are`;
  return { kind: 'missing', seq: first, id: null, message: `${which} missing` };
}
