import { databaseFailure } from '../../database/errors.ts';
import { untilWritten } from '../../database/until-written.ts';
import type { AttemptRow } from '../../events/attempt-row.ts';
import type { Outcome } from '../../events/outcome.ts';
import type { OutcomeRecorder, Recorded } from '../../events/transitions/attempt-recorded.ts';
import type { FailedOutcome } from '../../incidents/counting/cause.ts';
import type { AttemptMade } from '../../incidents/counting/consumer-failures.ts';
import type { Log } from '../../shared/log.ts';
import type { CountedAttempt } from '../consumers/consumer-counts.ts';

/** Counts attempts for incidents. */
export interface Failures {
  attempted(attempt: AttemptMade, outcome: FailedOutcome): void;
}

const withoutTexts = (attempt: Outcome): Outcome => ({
  ...attempt,
  ...{ requestHeaders: null, responseHeaders: null, responseBody: null, url: null },
  error: attempt.succeeded ? null : attempt.outcome,
});

/** What is left of an attempt after the consumer has answered: its record, its count and its line in the log. */
export class Recording {
  readonly #recorder: OutcomeRecorder;
  readonly #consumers: { attempted(attempt: CountedAttempt): void };
  readonly #failures: Failures;
  readonly #log: Log;

  constructor(deps: {
    recorder: OutcomeRecorder;
    /** Counts the attempts of each consumer. */
    consumers: { attempted(attempt: CountedAttempt): void };
    failures: Failures;
    log: Log;
  }) {
    this.#recorder = deps.recorder;
    this.#consumers = deps.consumers;
    this.#failures = deps.failures;
    this.#log = deps.log;
  }

  /**
   * Retries until the outcome is recorded: the POST was made, and this process has the only copy of its outcome.
   * `repeated`: an earlier try may have recorded it, because its answer was lost.
   */
  async record(outcome: Outcome, signal: AbortSignal): Promise<{ recorded: Recorded | null; repeated: boolean }> {
    let attempt = outcome;
    let repeated = false;
    const recorded = await untilWritten(() => this.#recorder.record(attempt), {
      signal,
      onFailure: (error) => {
        const failure = databaseFailure(error);
        // If PostgreSQL refuses a text, the attempt is recorded without its texts rather than not at all.
        if (failure !== 'bad_data') repeated = true;
        else attempt = withoutTexts(attempt);
        this.#log.warn({ eventId: outcome.eventId, failure }, 'attempt not recorded yet, retrying');
      },
    });
    return { recorded, repeated };
  }

  count({ consumer, account }: AttemptRow, outcome: Outcome, exhausted: boolean): void {
    const { startedAt, succeeded, url, eventId, trigger, number } = outcome;
    // Without an address, there was no request.
    const durationMs = url === null ? null : outcome.durationMs;
    this.#consumers.attempted({ consumerId: consumer.id, startedAt, durationMs, succeeded, exhausted });
    const endedMs = startedAt.getTime() + outcome.durationMs;
    const made = {
      accountId: account.id,
      consumerId: consumer.id,
      eventId,
      trigger,
      number,
      succeeded,
      exhausted,
      endedMs,
    };
    this.#failures.attempted(made, outcome);
  }

  logAttempt({ provider, accountSlug, consumer }: AttemptRow, made: Outcome): void {
    const { eventId, generation, trigger, number, outcome, responseCode, durationMs, url } = made;
    const attempt = { eventId, provider, accountSlug, consumer: consumer.name, generation, trigger, number };
    this.#log.info({ ...attempt, outcome, responseCode, durationMs, url }, 'attempt');
  }
}
