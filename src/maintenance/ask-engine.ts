import { Problem } from '../http/problem.ts';
import type { Log } from '../shared/log.ts';
import { type Maintenance, MaintenanceUnavailable, NotScheduled } from './maintenance.ts';

/** Seconds after which a client may retry. */
const retryAfterS = '5';

const unavailable = (detail: string) =>
  new Problem('engine_unavailable', detail, { headers: { 'retry-after': retryAfterS } });

/**
 * Makes a request to Temporal for an operator.
 *
 * @param maintenance null when no Temporal is configured for this process.
 * @throws Problem `engine_unavailable` when Temporal cannot be reached; `conflict` for a task without a schedule.
 */
export async function askEngine<T>(
  { maintenance, log }: { maintenance: Maintenance | null; log: Log },
  ask: (maintenance: Maintenance) => Promise<T>,
): Promise<T> {
  if (!maintenance) throw unavailable('this needs Temporal, and TEMPORAL_ADDRESS is not set here');
  try {
    return await ask(maintenance);
  } catch (error) {
    if (error instanceof MaintenanceUnavailable) {
      log.warn({ err: error }, 'admin call failed, Temporal unavailable');
      throw unavailable('Temporal is not responding; try again in a few seconds');
    }
    if (error instanceof NotScheduled)
      throw new Problem(
        'conflict',
        'this task has no schedule: workers create it at their start, and the one for backups only with BACKUP_DIR or BACKUP_URL',
      );
    throw error;
  }
}
