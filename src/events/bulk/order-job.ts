import type { Database } from '../../database/database.ts';
import type { Sql } from '../../database/sql.ts';
import { Problem } from '../../http/problem.ts';
import type { NewBulkJob } from './bulk-job.ts';
import { type BulkJob, insertBulkJob, unfinishedJobs } from './bulk-rows.ts';

/** Jobs that have not ended. Each works at its own rate, so that more of them would load the database more. */
const mostJobs = 5;
/** For counting what an order would change, while an operator waits. */
export const countMs = 3_000;

/**
 * Makes a job of an order that is neither one too many nor the same as a running one.
 *
 * @param record writes the audit entry, in the same transaction.
 * @param sameOrder why an order is refused that is the same as the running job with this id
 * @throws Problem `conflict`
 */
export function orderJob(
  database: Database,
  job: NewBulkJob,
  record: (sql: Sql) => Promise<void>,
  sameOrder: (id: string) => string,
): Promise<BulkJob> {
  return database.transaction(async (sql) => {
    const { count, same } = await unfinishedJobs(sql, job);
    if (same !== null) throw new Problem('conflict', sameOrder(same));
    if (count >= mostJobs)
      throw new Problem('conflict', `${mostJobs} bulk jobs have not ended yet; wait for one of them, or stop it`);
    const made = await insertBulkJob(sql, job);
    await record(sql);
    return made;
  });
}
