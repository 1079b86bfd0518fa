import type { Sql } from '../../database/sql.ts';

/** Pages in one delete: 2 MB. That is tens of thousands of small rows, and takes at most 0.1 s. */
export const pagesADelete = 256;

const countPages = {
  name: 'count_pages',
  text: `select (pg_relation_size(to_regclass($1)) / current_setting('block_size')::integer)::integer as pages`,
};

/** A range of a table's pages, as bounds of `ctid`. `low` is inclusive, `high` exclusive. */
export type PageRange = [low: string, high: string];

/**
 * All current pages of a table, in ranges. With one statement for each range
 * (`where ctid >= $1::tid and ctid < $2::tid`), the table is read once without an index.
 */
export async function pageRanges(sql: Sql, table: string, pagesAtOnce: number): Promise<PageRange[]> {
  const [row] = await sql.query<{ pages: number | null }>(countPages, [table]);
  const ranges: PageRange[] = [];
  for (let first = 0; first < (row?.pages ?? 0); first += pagesAtOnce)
    ranges.push([`(${first},0)`, `(${first + pagesAtOnce},0)`]);
  return ranges;
}
