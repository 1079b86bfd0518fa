import type { Sql } from '../database/sql.ts';
import type { AuditFault, ChainEnd } from './chain.ts';
import type { PurgeWitness } from './purge-witness.ts';
import { isOurs } from './seal-next.ts';
import { beginning, type ChainPoint, type Seals } from './seals.ts';
import { holdsNoted, resealed, type SealedRow, sealedColumns, stepTo } from './walk.ts';

const rowsPerPage = 1_000;
const lowestId = '00000000-0000-0000-0000-000000000000';

const readBeyondHead = {
  name: 'read_audit_entry_beyond_head',
  text: `
    select ${sealedColumns} from audit_logs l
    where seq > $1 order by seq limit 1`,
};
const readBeforeAnchor = {
  name: 'read_audit_entry_before_anchor',
  text: 'select id, seq from audit_logs where seq <= $1 order by seq limit 1',
};
const readForeign = {
  name: 'read_foreign_audit_entry',
  text: 'select id, seq from audit_logs where foreign_at is not null and seq is null order by foreign_at limit 1',
};
// `>=`, not `>`, so that a row with the lowest possible id is checked too. The last row of a page is therefore read
// twice.
const readUnsealed = {
  name: 'read_unsealed_audit_entries_after',
  text: `
    select ${sealedColumns} from audit_logs l where seq is null and foreign_at is null and id >= $1
    order by id limit ${rowsPerPage}`,
};

/**
 * Checks the rows outside the chain, that is, not between anchor and head. Only valid entries that wait for their seals
 * may exist there; they are also passed to `purges`. Returns the first fault, or null.
 */
export async function faultOutsideChain(
  sql: Sql,
  seals: Seals,
  { anchor, head, purges }: { anchor: ChainEnd | null; head: ChainPoint; purges: PurgeWitness },
): Promise<AuditFault | null> {
  const foreign = ({ id, seq }: { id: string; seq: string | null }, message: string): AuditFault => ({
    ...{ kind: 'foreign', seq: seq === null ? null : Number(seq), id, message },
  });
  const begin: ChainPoint = anchor ?? beginning;
  const [beyond] = await sql.query<SealedRow>(readBeyondHead, [head.seq]);
  if (beyond) {
    if (!stepTo(seals, begin, head, beyond).ok) return foreign(beyond, 'a row beyond the head');
    return {
      kind: 'missing',
      seq: head.seq + 1,
      id: null,
      message: 'the head was set back: the chain goes on behind it',
    };
  }
  const [early] = await sql.query<{ id: string; seq: string }>(readBeforeAnchor, [anchor?.seq ?? 0]);
  if (early) return foreign(early, 'a row before the beginning of the chain');
  const [marked] = await sql.query<{ id: string; seq: null }>(readForeign, []);
  if (marked) return foreign(marked, 'a row that the gateway did not write');
  let from = lowestId;
  for (;;) {
    const page = await sql.query<Omit<SealedRow, 'seq'>>(readUnsealed, [from]);
    for (const row of page) {
      if (!isOurs(seals, row, anchor))
        return foreign({ id: row.id, seq: null }, 'a row that the gateway did not write, not sealed');
      if (row.seal) return { kind: 'changed', seq: null, id: row.id, message: 'a seal without a place in the chain' };
      if (!holdsNoted(begin, head, row)) return { kind: 'changed', seq: null, id: row.id, message: resealed };
      purges.see(row);
    }
    const last = page.at(-1);
    if (!last || page.length < rowsPerPage) return null;
    from = last.id;
  }
}
