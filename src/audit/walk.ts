import type { Sql } from '../database/sql.ts';
import type { AuditFault } from './chain.ts';
import { contentColumns, type EntryContent } from './entry-content.ts';
import type { ChainPoint, Seals } from './seals.ts';

/** A row with a place in the chain. */
export interface SealedRow extends EntryContent {
  mac: Buffer;
  seq: string;
  seal: Buffer | null;
  is_foreign: boolean;
  /** The seal at the place that this entry notes as the head; null when there is no entry at that place. */
  seal_there: Buffer | null;
}

/** The columns of {@link SealedRow} in a select of `audit_logs l`. */
export const sealedColumns = `${contentColumns}, seq, seal, foreign_at is not null as is_foreign,
      (select n.seal from audit_logs n where n.seq = l.noted_seq) as seal_there`;

/** Checking one page blocks the event loop for about 10 ms. */
const rowsPerPage = 500;
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

// Pages by place and id, so that no row is skipped even if an attacker gave two rows the same place.
const readSealed = {
  name: 'read_sealed_audit_entries',
  text: `
    select ${sealedColumns} from audit_logs l
    where seq >= $1 and (seq > $1 or id > $2) and seq <= $3 order by seq, id limit $4`,
};

/** Reads the rows with places after `from` and up to `to`, in pages, in the order of the chain. */
export async function* sealedPages(sql: Sql, from: number, to: number): AsyncGenerator<SealedRow[]> {
  let after = { seq: String(from), id: highestId };
  for (;;) {
    const page = await sql.query<SealedRow>(readSealed, [after.seq, after.id, to, rowsPerPage]);
    yield page;
    const last = page.at(-1);
    if (!last || page.length < rowsPerPage) return;
    after = last;
  }
}

/** The next point of the chain, or the fault of the row that should be there. */
export type Step = { ok: true; point: ChainPoint } | { ok: false; fault: AuditFault };

/** Checks that `row` is the entry that was sealed after `previous`. The walk began after `anchor`. */
export function stepTo(seals: Seals, anchor: ChainPoint, previous: ChainPoint, row: SealedRow): Step {
  const seq = previous.seq + 1;
  const { id } = row;
  const found = Number(row.seq);
  if (found > seq) return { ok: false, fault: missingFrom(seq, found - 1) };
  const fault = (kind: AuditFault['kind'], message: string): Step => ({
    ok: false,
    fault: { kind, seq: found, id, message },
  });
  if (found < seq) return fault('foreign', 'its place is taken twice');
  const seal = seals.seal(previous.seal, seq, id, row.mac);
  if (seal === null) return fault('changed', 'the entry names a key that cannot have sealed it');
  if (row.seal === null || !seal.equals(row.seal)) return fault('changed', 'the entry does not fit its seal');
  if (!seals.isEntryMac(row, row.mac, seq)) return fault('changed', 'the entry does not fit its MAC');
  if (row.is_foreign) return fault('changed', 'a sealed entry was marked as foreign');
  if (!holdsNoted(anchor, previous, row)) return fault('changed', resealed);
  if (seals.ends.some((end) => end.seq === seq && !end.seal.equals(seal)))
    return fault('changed', 'the chain up to here is not the one that a key was retired at');
  return { ok: true, point: { seq, seal } };
}

export const resealed =
  'the entry notes a head that is not in the chain: entries were deleted and the rest was sealed again';

/** Whether the verified chain from `anchor` to `head` contains the head that a genuine entry notes. */
export function holdsNoted(
  anchor: ChainPoint,
  head: ChainPoint,
  row: Pick<SealedRow, 'noted_seq' | 'noted_seal' | 'seal_there'>,
): boolean {
  if (row.noted_seq === null || row.noted_seal === null) return true;
  const seq = Number(row.noted_seq);
  // The noted entry was purged, so its seal cannot be compared.
  if (seq < anchor.seq) return true;
  if (seq === anchor.seq) return row.noted_seal.equals(anchor.seal);
  return seq <= head.seq && row.seal_there !== null && row.noted_seal.equals(row.seal_there);
}

/** The fault for entries that are missing from the chain. */
export function missingFrom(first: number, last: number): AuditFault {
  const which = first === last ? `entry ${first} is` : `entries ${first} to ${last} are`;
  return { kind: 'missing', seq: first, id: null, message: `${which} missing` };
}
