import { Batcher } from '../../database/batcher.ts';
import type { Sql, Transactions } from '../../database/sql.ts';
import { columnsOf } from '../../shared/columns-of.ts';
import type { DeliveryStatus, EventStatus } from '../event.ts';
import { FirstSuccessRecorder, isFirstSuccess } from '../first-successes.ts';
import { idRange } from '../id-range.ts';
import type { Outcome } from '../outcome.ts';
import type { WhenExhausted } from './exhausted.ts';

export interface Recorded {
  /** False if an attempt of this name was already recorded, or the claim was lost. Then nothing has changed. */
  recorded: boolean;
  /** Whether this statement changed `pending` to `failed`. That happens once per generation. */
  exhausted: boolean;
  /** The event's generation and states after the statement. */
  generation: number;
  status: EventStatus;
  deliveryStatus: DeliveryStatus | null;
  /** Whether the deletion of the account or the consumer ended the delivery before this attempt was recorded. */
  ownerDeleted: boolean;
}

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | a scheduled attempt succeeds | unchanged | `delivered` if it was `pending` |
 * | a scheduled attempt fails, and it is not the last | unchanged | unchanged |
 * | the last scheduled attempt fails | `failed` if `delivery_status` was `pending` | `failed` if it was `pending` |
 * | a manual attempt succeeds | `enqueued` if it was `failed` by the last attempt, not by a person | `delivered` if it was `pending` or `failed`, unless `dead` |
 * | a manual attempt fails | unchanged | unchanged |
 *
 * With EVENT_WORKFLOWS=on_retry, an event that the relay's attempt settles leaves the queue at once (no-workflow.ts).
 *
 * An attempt of an older generation is recorded and does not change the event. The database decides the new state while
 * the rows are locked: migrations/functions/record_outcomes_3.sql. For what follows the last failure, see exhausted.ts.
 */
const recordOutcomes = {
  name: 'record_outcomes',
  text: `
    select id, recorded, exhausted, generation, status, delivery_status as "deliveryStatus", account_deleted as "ownerDeleted"
    from record_outcomes_3($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
};

const firstSuccess = {
  recorded: true,
  exhausted: false,
  generation: 0,
  deliveryStatus: 'delivered',
  ownerDeleted: false,
} as const;

/** Records attempts and updates their events. Attempts that end at the same time share one statement. */
export class OutcomeRecorder {
  readonly #batcher: Batcher<Outcome, { recorded: Recorded | null }>;
  readonly #firstSuccesses: FirstSuccessRecorder;

  /**
   * @param workflows whether every event gets a workflow. If not, an event that an attempt of the relay settles leaves
   *   the queue.
   */
  constructor(database: Transactions, whenExhausted: WhenExhausted, workflows = true) {
    this.#firstSuccesses = new FirstSuccessRecorder(database, workflows);
    this.#batcher = new Batcher(
      async (outcomes) => {
        // Only a failed last attempt can exhaust an event, which needs a transaction. All others need one statement
        // only.
        const ending = outcomes.filter(({ last, succeeded }) => last && !succeeded).map(({ eventId }) => eventId);
        const recordEnding = async () => {
          await whenExhausted.prepare?.(database, ending);
          return database.transaction(async (sql) => {
            const recorded = await record(sql, outcomes, workflows);
            const ids = recorded.filter(({ exhausted }) => exhausted).map(({ id }) => id);
            if (ids.length > 0) await whenExhausted(sql, ids);
            return recorded;
          });
        };
        const rows = await (ending.length > 0 ? recordEnding() : record(database, outcomes, workflows));
        const found = new Map(rows.map(({ id, ...recorded }) => [id, recorded]));
        return outcomes.map(({ eventId }) => ({ recorded: found.get(eventId) ?? null }));
      },
      { maxBatch: 256, maxRunning: 2, key: (outcome) => outcome.eventId },
    );
  }

  /** Null if the event no longer exists. Throws the database's errors; then nothing was recorded. */
  async record(outcome: Outcome): Promise<Recorded | null> {
    const status = isFirstSuccess(outcome) ? await this.#firstSuccesses.record(outcome) : null;
    if (status !== null) return { ...firstSuccess, status };
    return (await this.#batcher.add(outcome)).recorded;
  }
}

const record = (sql: Sql, outcomes: Outcome[], workflows: boolean) =>
  sql.query<Recorded & { id: string }>(recordOutcomes, [
    ...columnsOf(outcomes, 'eventId', 'generation', 'trigger', 'number', 'startedAt', 'durationMs', 'outcome'),
    ...columnsOf(outcomes, 'responseCode', 'responseBody', 'error', 'url', 'succeeded', 'last', 'nextAttemptAt'),
    ...columnsOf(outcomes, 'claimToken', 'waitedMs', 'connectMs', 'answerMs'),
    outcomes.map(({ requestHeaders }) => requestHeaders && JSON.stringify(requestHeaders)),
    outcomes.map(({ responseHeaders }) => responseHeaders && JSON.stringify(responseHeaders)),
    ...idRange(outcomes.map((o) => o.eventId)),
    workflows,
  ]);
