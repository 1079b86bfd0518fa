import { databaseFailure } from './errors.ts';

/** Repeats a statement, twice at most, that failed because of a concurrent transaction (a deadlock). */
export async function retried(statement: () => Promise<void>): Promise<void> {
  for (let triesLeft = 2; ; triesLeft--) {
    try {
      return await statement();
    } catch (error) {
      if (triesLeft === 0 || databaseFailure(error) !== 'retry') throw error;
    }
  }
}
