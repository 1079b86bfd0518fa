import type { Command } from 'commander';
import { wholeNumber } from './options.ts';

/** The most entries that the gateway returns at a time. */
const pageSize = 1000;

export interface PageOptions {
  limit: number;
  all?: boolean;
}

/** Adds `--limit` and `--all` to the command of a list. */
export const withPages = (command: Command): Command =>
  command
    .option('--limit <n>', 'how many at most, the newest first', wholeNumber, 50)
    .option('--all', 'all of them, page after page');

/**
 * The entries of a list, page after page.
 *
 * @param read reads the page after the entry with the id `before`
 */
export async function paged<Row extends { id: string }>(
  { limit, all }: PageOptions,
  read: (page: { limit: number; before: string | undefined }) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  const wanted = all ? Number.POSITIVE_INFINITY : limit;
  while (rows.length < wanted) {
    const size = Math.min(pageSize, wanted - rows.length);
    const page = await read({ limit: size, before: rows.at(-1)?.id });
    // Not spread into `push`: a list may have more entries than a call can have arguments.
    for (const row of page) rows.push(row);
    if (page.length < size) break;
  }
  return rows;
}
