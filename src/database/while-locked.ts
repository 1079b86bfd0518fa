import { setTimeout as sleep } from 'node:timers/promises';
import { isLockTimeout } from './errors.ts';

export interface LockTries {
  tries: number;
  /** Between two tries, so that the statements that waited behind the last one can run. */
  pauseMs: number;
}

/** The advice of errors about a table that stays locked. */
export const endLongTransactions =
  'End long transactions (select pid, xact_start, query from pg_stat_activity order by xact_start)';

/**
 * Repeats `work`, a whole transaction, while another transaction holds the lock of a table that it needs.
 *
 * @throws the lock timeout of the last try, or another error of any try.
 */
export async function whileLocked<T>(
  work: () => Promise<T>,
  { tries, pauseMs }: LockTries,
  onLocked: () => void,
): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) || left <= 1) throw error;
      onLocked();
      await sleep(pauseMs);
    }
  }
}
