import { Problem } from '../http/problem.ts';
import type { Log } from '../shared/log.ts';
import { type Maintenance, MaintenanceUnavailable, NotScheduled } from './maintenance.ts';

/** Seconds after which a script may ask again. */
const retryAfterS = '5';

const unavailable = (detail: string) =>
  new Problem('engine_unavailable', detail, { headers: { 'retry-after': retryAfterS } });

/**
 * Asks what only Temporal can answer.
 *
 * @param maintenance null: this process knows of no Temporal.
 * @throws Problem `engine_unavailable` while it cannot be asked; `conflict` about a task without a schedule.
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
      log.warn({ err: error }, 'an operator asked for what needs Temporal, and it does not answer');
      throw unavailable('Temporal does not answer at the moment; try again in a few seconds');
    }
    if (error instanceof NotScheduled)
      throw new Problem(
        'conflict',
        'there is no schedule of this task: workers make it when they start, that of backups only with BACKUP_DIR or BACKUP_URL',
      );
    throw error;
  }
}
