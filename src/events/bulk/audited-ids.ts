import { hash } from 'node:crypto';

/** Enough to see which events were meant, in less than 4 KB. An order can have 1,000, and its entry is kept longer than its job. */
const mostAudited = 100;

/**
 * The given ids of an order, for its audit entry: the first hundred, and a SHA-256 of all, each with a line feed after
 * it. The hash proves a list of ids after the job was deleted.
 *
 * @param ids in ascending order
 */
export function auditedIds(ids: readonly string[]): { event_ids: string[]; ids_sha256: string } {
  return {
    event_ids: ids.slice(0, mostAudited),
    ids_sha256: hash('sha256', ids.map((id) => `${id}\n`).join('')),
  };
}
