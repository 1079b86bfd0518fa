import { databaseFailure, isLockTimeout } from './errors.ts';

const deadlockTries = 3;
/**
 * A batch of a bulk job, of replays or of a deleted account holds its rows, on a busy database for longer than a
 * statement may wait for a lock (5 s).
 */
const lockTries = 6;

/** Repeats a statement, twice at most, that failed because of a concurrent transaction (a deadlock). */
export const retried = <T>(statement: () => Promise<T>): Promise<T> => repeated(statement, 1);

/**
 * Repeats an operator's change for half a minute while other transactions hold its rows, so that a stop or a pause takes
 * effect during a large batch. Also repeats it after a deadlock.
 *
 * @param change a whole transaction.
 */
export const afterOthers = <T>(change: () => Promise<T>): Promise<T> => repeated(change, lockTries);

async function repeated<T>(work: () => Promise<T>, triesOfLocks: number): Promise<T> {
  for (let tried = 1; ; tried++)
    try {
      return await work();
    } catch (error) {
      const tries = isLockTimeout(error) ? triesOfLocks : databaseFailure(error) === 'retry' ? deadlockTries : 1;
      if (tried >= tries) throw error;
    }
}
