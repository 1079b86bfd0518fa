import type { AdminCall } from '../audit/admin-call.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { untilAborted } from '../database/until-aborted.ts';
import { CallLimit } from '../http/admin/call-limit.ts';
import { clientSignal } from '../http/client-signal.ts';
import { databaseUnavailable } from '../http/problem.ts';

/** Half of the connections for operators' lists. Most lists take milliseconds, so that more may wait than of counts. */
const limits = { atOnce: 2, maxWaiting: 32 };
/** With the time that a list waits. A single statement may take 9 s, and most lists that are slow have two of these. */
const longestMs = 20_000;

/**
 * Runs lists of events. Those of tokens with a scope may pass all events of others before they find their own, which can
 * take seconds. So they leave half of the connections to other operators, and end when their client leaves.
 */
export class EventLists {
  readonly #database: Database;
  readonly #scoped = new CallLimit({ kind: 'lists of tokens with a scope', ...limits });

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * @throws Problem `too_many_calls`; `client_gone` if the client leaves while the list waits or is read;
   *   `database_unavailable` after 20 s
   */
  async run<T>(
    request: Request,
    { accountIds }: Pick<AdminCall, 'accountIds'>,
    work: (sql: Sql) => Promise<T>,
  ): Promise<T> {
    if (accountIds === null) return work(this.#database.reader);
    const gone = clientSignal(request);
    const signal = AbortSignal.any([gone, AbortSignal.timeout(longestMs)]);
    try {
      return await this.#scoped.run(signal, () => untilAborted(this.#database, signal, work));
    } catch (error) {
      // Otherwise the error is that of the statement which was canceled.
      gone.throwIfAborted();
      if (signal.aborted) throw databaseUnavailable('the list took too long; ask for less, or try again later');
      throw error;
    }
  }
}
