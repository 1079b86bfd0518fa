import type { Sql } from '../../database/sql.ts';

/** 2 MB, for deletes: tens of thousands of small rows, and a tenth of a second at most. */
export const pagesADelete = 256;

const countPages = {
  name: 'count_pages',
  text: `select (pg_relation_size(to_regclass($1)) / current_setting('block_size')::integer)::integer as pages`,
};

/** A part of a table's pages, as the bounds of its rows' `ctid`: from the first on, up to but without the last. */
export type PageRange = [low: string, high: string];

/**
 * All pages that a table has now, in ranges. For statements that need no index because, a range each, they read the
 * table once: `where ctid >= $1::tid and ctid < $2::tid`.
 */
export async function pageRanges(sql: Sql, table: string, pagesAtOnce: number): Promise<PageRange[]> {
  const [row] = await sql.query<{ pages: number | null }>(countPages, [table]);
  const ranges: PageRange[] = [];
  for (let first = 0; first < (row?.pages ?? 0); first += pagesAtOnce)
    ranges.push([`(${first},0)`, `(${first + pagesAtOnce},0)`]);
  return ranges;
}
