import type { AttemptRequest, AttemptResult, NotificationRequest } from '../../../workflows/messages.ts';
import type { AccountMasks } from '../../accounts/account-mask.ts';
import { databaseFailure } from '../../database/errors.ts';
import type { Transactions } from '../../database/sql.ts';
import { untilWritten } from '../../database/until-written.ts';
import { AttemptReader, type AttemptRow } from '../../events/attempt-row.ts';
import { type Outcome, OutcomeRecorder, type Recorded } from '../../events/transitions/attempt-recorded.ts';
import { giveUp, type WhenExhausted } from '../../events/transitions/exhausted.ts';
import { holdEventUntil } from '../../events/transitions/held.ts';
import type { SecretBox } from '../../secrets/secret-box.ts';
import type { Log } from '../../shared/log.ts';
import { nextDelayMs } from '../backoff.ts';
import type { DroppedHeaders } from '../dropped-headers.ts';
import type { Sender } from '../send.ts';
import { type Turn, TurnGate } from '../turn-gate.ts';
import { decide, endedBecause } from './decide.ts';
import { type Posted, postEvent } from './post.ts';

/** Reads which destinations are still to be notified of an exhausted event. */
export type PendingNotifications = (event: {
  eventId: string;
  generation: number;
}) => Promise<Pick<NotificationRequest, 'destinationId' | 'destinationType'>[]>;

export interface AttemptDeps {
  database: Transactions;
  /** What follows when a delivery has failed for good. */
  whenExhausted: WhenExhausted;
  /** The notifications of a generation that were not sent yet. */
  pendingNotifications: PendingNotifications;
  sender: Sender;
  box: SecretBox;
  masks: AccountMasks;
  /** Inbound headers that are not forwarded. */
  droppedHeaders: DroppedHeaders;
  log: Log;
  /** Attempts of one account in flight in this process. */
  accountConcurrency: number;
  random?: () => number;
}

export interface AttemptOptions {
  /** The relay's lease, when the relay makes the attempt itself; then it has taken a turn of the account for it. */
  claimToken: string | null;
  /** Ends the wait for a database that is away. */
  signal: AbortSignal;
}

export interface Made {
  result: AttemptResult;
  /** An attempt was made and recorded now, and with it the relay's lease, if there was one, handed on. */
  recorded: boolean;
}

/** The relay leaves its turn itself. */
const relaysTurn: Turn = { leave: () => undefined };

const unmoved = (result: AttemptResult): Made => ({ result, recorded: false });

/** Makes attempts: reads the event, decides, posts, records. One for a process: it holds the account gate. */
export class Attempts {
  readonly gate: TurnGate;
  readonly #deps: AttemptDeps;
  readonly #reader: AttemptReader;
  readonly #recorder: OutcomeRecorder;
  readonly #inFlight = new Map<string, Promise<Made>>();

  constructor(deps: AttemptDeps) {
    this.#deps = deps;
    this.gate = new TurnGate(deps.accountConcurrency);
    this.#reader = new AttemptReader(deps.database);
    this.#recorder = new OutcomeRecorder(deps.database, deps.whenExhausted);
  }

  /**
   * Makes the named attempt unless it is recorded already or needed no more. A second call of the same name while the
   * first lasts gets the first one's result, so that a timeout of the engine never makes the POST twice.
   *
   * @throws what the database throws when the event cannot be read; nothing was sent then.
   */
  attempt(request: AttemptRequest, options: AttemptOptions): Promise<Made> {
    const name = `${request.eventId}/${request.generation}/${request.trigger}/${request.number}`;
    const running = this.#inFlight.get(name);
    // Whoever began it hands its claim on; a claim of the one that joins is still its own.
    if (running) return running.then(({ result }) => unmoved(result));
    const attempt = this.#attempt(request, options)
      .then((made) => this.#withNotifications(request, made))
      .finally(() => this.#inFlight.delete(name));
    this.#inFlight.set(name, attempt);
    return attempt;
  }

  async #attempt(request: AttemptRequest, options: AttemptOptions): Promise<Made> {
    const row = await this.#reader.read(request);
    if (!row) return unmoved({ kind: 'stopped', reason: 'event_gone' });
    const decision = decide(row, { ...request, byRelay: options.claimToken !== null }, Date.now());
    switch (decision.do) {
      case 'answer':
        return unmoved(decision.result);
      case 'hold': {
        const hold = { eventId: row.eventId, generation: row.generation, claimToken: options.claimToken };
        await holdEventUntil(this.#deps.database, { ...hold, until: new Date(Date.now() + decision.waitMs) });
        return unmoved({ kind: 'wait', waitMs: decision.waitMs });
      }
      case 'give_up': {
        const { database, whenExhausted } = this.#deps;
        const { eventId, generation } = row;
        const ended = await giveUp(database, { eventId, generation, reason: decision.reason }, whenExhausted);
        if (decision.reason === 'account_deleted') return unmoved({ kind: 'stopped', reason: 'account_deleted' });
        return unmoved(
          ended ? { kind: 'exhausted', attempted: false } : { kind: 'stopped', reason: 'already_settled' },
        );
      }
      case 'send':
        return this.#send(row, request, options);
      default:
        return decision satisfies never;
    }
  }

  /**
   * Whoever asked has the destinations told; they were noted when the delivery failed for good. That may have been an
   * earlier call, whose worker died before it could say so.
   */
  async #withNotifications({ eventId, generation, trigger }: AttemptRequest, made: Made): Promise<Made> {
    const { result } = made;
    const settled = result.kind === 'stopped' && result.reason === 'already_settled' && trigger === 'schedule';
    if (result.kind !== 'exhausted' && !settled) return made;
    const pending = await this.#deps.pendingNotifications({ eventId, generation });
    const notifications = pending.map(({ destinationId, destinationType }) => ({
      generation,
      destinationId,
      destinationType,
    }));
    if (result.kind === 'exhausted') return { ...made, result: { ...result, notifications } };
    return notifications.length === 0
      ? made
      : { ...made, result: { kind: 'exhausted', attempted: false, notifications } };
  }

  async #send(row: AttemptRow, request: AttemptRequest, options: AttemptOptions): Promise<Made> {
    const turn = options.claimToken === null ? this.gate.enter(row.account.id, row.eventId, Date.now()) : relaysTurn;
    if ('waitMs' in turn) return unmoved({ kind: 'wait', waitMs: turn.waitMs });
    try {
      const startedAt = new Date();
      const posted = await postEvent(this.#deps, row, {
        number: request.number,
        generation: request.generation,
        timeLimitMs: request.schedule.timeLimitMs,
        startedAt,
      });
      const outcome = this.#outcome(row, request, posted, startedAt, options.claimToken);
      this.#logAttempt(row, outcome);
      const recorded = await this.#record(outcome, options.signal);
      return { result: result(outcome, recorded), recorded: recorded?.recorded ?? false };
    } finally {
      turn.leave();
    }
  }

  #outcome(
    row: AttemptRow,
    request: AttemptRequest,
    posted: Posted,
    startedAt: Date,
    claimToken: string | null,
  ): Outcome {
    const { delaysMs } = request.schedule;
    const endedMs = Date.now();
    const delayMs =
      posted.succeeded || request.trigger === 'manual'
        ? null
        : nextDelayMs({
            delaysMs,
            number: request.number,
            retryAfterMs: posted.retryAfterMs,
            // What was waited for in a pause was not the consumer's time: after it the span begins anew.
            elapsedMs: endedMs - Math.max(row.generationAt.getTime(), row.resumedAt?.getTime() ?? 0),
            random: this.#deps.random ?? Math.random,
          });
    return {
      eventId: row.eventId,
      generation: request.generation,
      trigger: request.trigger,
      number: request.number,
      startedAt,
      durationMs: posted.durationMs,
      outcome: posted.outcome,
      responseCode: posted.responseCode,
      responseBody: posted.responseBody,
      error: posted.error,
      url: posted.url,
      succeeded: posted.succeeded,
      last: request.trigger === 'schedule' && request.number > delaysMs.length,
      nextAttemptAt: delayMs === null ? null : new Date(endedMs + delayMs),
      claimToken,
    };
  }

  /** Records until it is recorded: the POST was made, and only this remembers it. */
  #record(outcome: Outcome, signal: AbortSignal): Promise<Recorded | null> {
    let attempt = outcome;
    return untilWritten(() => this.#recorder.record(attempt), {
      signal,
      onFailure: (error) => {
        const failure = databaseFailure(error);
        // A text that PostgreSQL does not take must not hide that the attempt was made.
        if (failure === 'bad_data')
          attempt = { ...attempt, responseBody: null, error: attempt.succeeded ? null : attempt.outcome, url: null };
        this.#deps.log.warn({ eventId: outcome.eventId, failure }, 'an attempt could not be recorded yet');
      },
    });
  }

  #logAttempt(row: AttemptRow, outcome: Outcome): void {
    const { eventId, generation, trigger, number, durationMs, responseCode } = outcome;
    const { provider, accountSlug } = row;
    this.#deps.log.info(
      {
        eventId,
        provider,
        accountSlug,
        generation,
        trigger,
        number,
        outcome: outcome.outcome,
        responseCode,
        durationMs,
        url: outcome.url,
      },
      'attempt',
    );
  }
}

/** What a recorded attempt means for who asked for it. */
function result(outcome: Outcome, recorded: Recorded | null): AttemptResult {
  if (!recorded) return { kind: 'stopped', reason: 'event_gone' };
  // A success that came too late (the event is dead or replayed) changed no row, so it ends no schedule either.
  if (outcome.succeeded && recorded.deliveryStatus === 'delivered') return { kind: 'delivered' };
  if (outcome.trigger === 'manual' && !outcome.succeeded) return { kind: 'failed', waitMs: 0 };
  if (recorded.exhausted) return { kind: 'exhausted', attempted: true };
  if (recorded.generation !== outcome.generation) return { kind: 'stopped', reason: 'superseded' };
  const reason = endedBecause({ ...recorded, account: { deleted: recorded.accountDeleted } });
  if (reason) return { kind: 'stopped', reason };
  return { kind: 'failed', waitMs: Math.max(0, (outcome.nextAttemptAt?.getTime() ?? 0) - Date.now()) };
}
