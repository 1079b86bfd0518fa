import { Batcher } from '../database/batcher.ts';
import type { Sql } from '../database/sql.ts';
import { columnsOf } from '../shared/columns-of.ts';
import type { AttemptName, EventStatus } from './event.ts';
import { idRange } from './id-range.ts';
import type { Outcome } from './outcome.ts';

// The commonest change of an event, in as few writes as possible: the first row of the table in
// transitions/attempt-recorded.ts. The statement: migrations/functions/record_first_successes_2.sql.
const recordFirstSuccesses = {
  name: 'record_first_successes',
  text: 'select * from record_first_successes_2($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
};

interface Row {
  id: string;
  status: EventStatus;
}

/** Whether it is the first attempt of its event. */
export const isFirstAttempt = ({ trigger, generation, number }: Omit<AttemptName, 'eventId'>): boolean =>
  trigger === 'schedule' && generation === 0 && number === 1;

/** Whether an outcome is likely to be the first thing that happens to its event. */
export const isFirstSuccess = (outcome: Outcome): boolean =>
  outcome.succeeded && isFirstAttempt(outcome) && outcome.claimToken !== null;

/** Records the relay's first attempts that succeeded. Attempts that end at the same time share one statement. */
export class FirstSuccessRecorder {
  readonly #batcher: Batcher<Outcome, { status: EventStatus | null }>;

  /** @param workflows as in `OutcomeRecorder` */
  constructor(sql: Sql, workflows: boolean) {
    this.#batcher = new Batcher(
      async (outcomes) => {
        const rows = await sql.query<Row>(recordFirstSuccesses, [
          ...columnsOf(
            outcomes,
            'eventId',
            'claimToken',
            'startedAt',
            'durationMs',
            'responseCode',
            'responseBody',
            'url',
          ),
          ...columnsOf(outcomes, 'waitedMs', 'connectMs', 'answerMs'),
          ...idRange(outcomes.map((o) => o.eventId)),
          workflows,
        ]);
        const recorded = new Map(rows.map(({ id, status }) => [id, status]));
        return outcomes.map(({ eventId }) => ({ status: recorded.get(eventId) ?? null }));
      },
      { maxBatch: 256, maxRunning: 1, key: ({ eventId }) => eventId },
    );
  }

  /**
   * The event's status after it. Null if something else has happened to the event; then nothing was changed. Throws the
   * database's errors.
   */
  async record(outcome: Outcome): Promise<EventStatus | null> {
    return (await this.#batcher.add(outcome)).status;
  }
}
