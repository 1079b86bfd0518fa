import type { AttemptRequest, AttemptResult, DeliverySchedule } from '../../../workflows/messages.ts';
import type { AccountMasks } from '../../accounts/account-mask.ts';
import { DeliveryTargets } from '../../accounts/delivery-target.ts';
import { lastEndOfPause } from '../../accounts/pause-records.ts';
import type { Transactions } from '../../database/sql.ts';
import { type AskedAttempt, AttemptReader, type AttemptRow } from '../../events/attempt-row.ts';
import type { EventWorkflows } from '../../events/event-workflows.ts';
import { stopEvent } from '../../events/transitions/account-deleted.ts';
import { OutcomeRecorder } from '../../events/transitions/attempt-recorded.ts';
import type { WhenExhausted } from '../../events/transitions/exhausted.ts';
import { waitInQueue } from '../../events/transitions/queued-to-wait.ts';
import { withdrawManualAttempt } from '../../events/transitions/retried.ts';
import type { SecretBox } from '../../secrets/secret-box.ts';
import type { Log } from '../../shared/log.ts';
import type { Stalls } from '../../shared/stalls.ts';
import type { Metrics } from '../../telemetry/metrics/metrics.ts';
import type { TracedSpan } from '../../telemetry/tracing/spans.ts';
import { type AttemptOwner, AttemptSlots } from '../attempt-slots.ts';
import { ConsumerSender } from '../consumer-sender.ts';
import type { CountedAttempt } from '../consumers/consumer-counts.ts';
import type { DroppedHeaders } from '../dropped-headers.ts';
import type { Sender } from '../send.ts';
import type { Slot, SlotOrWait } from '../slots.ts';
import { describeOutcome, inAttemptSpan, type ReadTimes } from './attempt-span.ts';
import { decide } from './decide.ts';
import { isFresh } from './fresh.ts';
import { LargeBodies } from './large-bodies.ts';
import { outcomeOf, resultOf } from './outcome.ts';
import { type PendingNotifications, withNotifications } from './pending-notifications.ts';
import { type PostDeps, postEvent } from './post.ts';
import { type Failures, Recording } from './recording.ts';
import { afterStallMs } from './stall-times.ts';

export interface AttemptDeps {
  database: Transactions;
  /** Runs in the transaction that exhausts events; adds their notifications. */
  whenExhausted: WhenExhausted;
  /** Reads the pending notifications of a generation. */
  pendingNotifications: PendingNotifications;
  sender: Sender;
  box: SecretBox;
  masks: AccountMasks;
  /** Inbound headers that are not forwarded. */
  droppedHeaders: DroppedHeaders;
  /** The stalls of this process of at least `stallMs`. */
  stalls: Pick<Stalls, 'since'>;
  log: Log;
  /** The most attempts of one consumer in flight in this process; an account has twice as many. */
  accountConcurrency: number;
  /** Whether every event gets a workflow, also when its first attempt succeeds (EVENT_WORKFLOWS). */
  eventWorkflows: EventWorkflows;
  metrics: Metrics;
  /** Counts the attempts of each consumer. */
  consumers: { attempted(attempt: CountedAttempt): void };
  failures: Failures;
  random?: () => number;
}

export interface AttemptOptions {
  /**
   * The token of the relay's claim when the relay makes the attempt. The relay then holds a slot of the consumer.
   */
  claimToken: string | null;
  /** Ends the retries of the record while the database is unavailable. An outcome that is not recorded is lost. */
  signal: AbortSignal;
  /** The event, if it was stored a moment ago; otherwise it is read. */
  event?: AttemptRow | null;
  /** The consumer's slot that the relay has acquired for this attempt. It is released when the consumer has answered. */
  slot?: Slot;
}

/** An attempt that is asked for. The number is null for the next one of the schedule. */
type Asking = AskedAttempt & Pick<AttemptRequest, 'schedule'>;

/** When an attempt began, by the clock of `performance`, and when its row was read; null: it was handed over. */
type Begun = AttemptOptions & { beganMs: number; read: ReadTimes | null };

export interface Made {
  result: AttemptResult;
  /**
   * Whether this call made and recorded an attempt. The same statement released the relay's claim, if there was one.
   */
  recorded: boolean;
}

const ownerOf = ({ account, consumer }: AttemptRow): AttemptOwner => ({
  consumerId: consumer.id,
  accountId: account.id,
});

/** That of a workflow is fixed at its start. The relay takes that of the consumer, if it has one. */
function scheduleFor({ consumer }: AttemptRow, { schedule }: Asking, { claimToken }: AttemptOptions): DeliverySchedule {
  const delaysMs = claimToken === null ? undefined : consumer.options?.delaysMs;
  return delaysMs === undefined ? schedule : { ...schedule, delaysMs: [...delaysMs] };
}

const notRecorded = (result: AttemptResult): Made => ({ result, recorded: false });

/**
 * Makes attempts: reads the event, decides, posts, records. One instance per process, because it limits concurrency.
 */
export class Attempts {
  readonly slots: AttemptSlots;
  readonly #deps: AttemptDeps;
  readonly #reader: AttemptReader;
  readonly #bodies: LargeBodies;
  readonly #posting: PostDeps;
  readonly #recording: Recording;
  readonly #inFlight = new Map<string, Promise<Made>>();

  constructor(deps: AttemptDeps) {
    this.#deps = deps;
    this.slots = new AttemptSlots(deps.accountConcurrency);
    const { masks, droppedHeaders, box } = deps;
    const consumerSender = new ConsumerSender(deps.sender);
    this.#posting = { consumerSender, masks, droppedHeaders, targets: new DeliveryTargets(box) };
    this.#reader = new AttemptReader(deps.database);
    this.#bodies = new LargeBodies(this.#reader);
    const recorder = new OutcomeRecorder(deps.database, deps.whenExhausted, deps.eventWorkflows === 'always');
    this.#recording = new Recording({ recorder, consumers: deps.consumers, failures: deps.failures, log: deps.log });
  }

  /**
   * Makes the asked attempt, unless it is already recorded or no longer needed. A second call for the same attempt
   * joins the first while it runs, so that an activity timeout never causes a second POST.
   *
   * @throws the database's error when the event cannot be read; in this case nothing was sent.
   */
  attempt(asked: Asking, options: AttemptOptions): Promise<Made> {
    const name = `${asked.eventId}/${asked.generation}/${asked.trigger}/${asked.number}`;
    const running = this.#inFlight.get(name);
    // Recording releases only the first caller's claim. The caller that joins keeps its own, so it gets recorded:
    // false.
    if (running) return running.then(({ result }) => notRecorded(result));
    const attempt = this.#attempt(asked, options)
      .then(async (made) => ({
        ...made,
        result: await withNotifications(this.#deps.pendingNotifications, asked, made.result),
      }))
      .finally(() => this.#inFlight.delete(name));
    this.#inFlight.set(name, attempt);
    return attempt;
  }

  async #attempt(asked: Asking, options: AttemptOptions): Promise<Made> {
    const beganMs = performance.now();
    const known = options.event;
    const isKnown = known && isFresh(known);
    const row = isKnown ? known : await this.#reader.read(asked);
    const read = isKnown ? null : { beganMs, endedMs: performance.now() };
    if (!row) return notRecorded({ kind: 'stopped', reason: 'event_gone' });
    const request = { ...asked, number: asked.number ?? row.nextNumber, schedule: scheduleFor(row, asked, options) };
    const begun = { ...options, beganMs, read };
    return this.#unlessEnded(row, request, begun, () => this.#send(row, request, begun));
  }

  /** Decides by the row whether the attempt is made, and calls `send` if it is. */
  async #unlessEnded(row: AttemptRow, request: AttemptRequest, begun: Begun, send: () => Promise<Made>): Promise<Made> {
    const { claimToken, beganMs } = begun;
    const stalled = this.#deps.stalls.since(beganMs - afterStallMs);
    const decision = decide(row, { ...request, claimToken, stalled }, row.nowMs());
    switch (decision.do) {
      case 'answer':
        if (request.trigger === 'manual' && decision.result.kind === 'stopped')
          await withdrawManualAttempt(this.#deps.database, request);
        return notRecorded(decision.result);
      case 'queue': {
        const { waitsFor } = decision;
        const { eventId, generation } = row;
        const lastAttempt = request.schedule.delaysMs.length + 1;
        await waitInQueue(this.#deps.database, { eventId, generation, waitsFor, lastAttempt });
        return notRecorded({ kind: 'stopped', reason: 'superseded', waitsFor });
      }
      case 'end':
        await stopEvent(this.#deps.database, row);
        return notRecorded({ kind: 'stopped', reason: 'account_deleted' });
      case 'send':
        return send();
      default:
        return decision satisfies never;
    }
  }

  async #send(row: AttemptRow, request: AttemptRequest, begun: Begun): Promise<Made> {
    const slot: SlotOrWait = begun.slot ?? this.slots.acquire(ownerOf(row), row.eventId, performance.now());
    if ('waitMs' in slot) return notRecorded({ kind: 'wait', waitMs: slot.waitMs, reason: 'slots' });
    const post = (now: AttemptRow, body: Uint8Array) =>
      inAttemptSpan(now, request, begun.read, (span) => this.#post(now, request, { ...begun, body, slot, span }));
    if (row.body) return post(row, row.body);
    const read = await this.#bodies.withBody(row, slot, async (body) => {
      // Bodies are read one after another, so this may have taken seconds.
      if (isFresh(row)) return post(row, body);
      const now = await this.#reader.read(request);
      if (!now) return notRecorded({ kind: 'stopped', reason: 'event_gone' });
      return this.#unlessEnded(now, request, begun, () => post(now, body));
    });
    return 'made' in read ? read.made : notRecorded(read.result);
  }

  async #post(
    row: AttemptRow,
    request: AttemptRequest,
    options: AttemptOptions & { body: Uint8Array; slot: Slot; span: TracedSpan | null },
  ): Promise<Made> {
    const { body, slot, span } = options;
    const startedAt = new Date(row.nowMs());
    const { database, metrics, log } = this.#deps;
    if (request.trigger === 'schedule' && request.number === 1)
      metrics.firstAttemptBegan(startedAt.getTime() - row.generationAt.getTime());
    // The slot limits the requests to the consumer. Recording needs none.
    const posted = await postEvent(this.#posting, row, {
      body,
      number: request.number,
      generation: request.generation,
      trigger: request.trigger,
      timeLimitMs: request.schedule.timeLimitMs,
      startedAt,
      trace: span?.headers ?? null,
    }).finally(() => slot.release());
    const outcome = outcomeOf(row, request, posted, {
      startedAt,
      // Read for the few answers that ask for a wait. If that fails, the wait may be cut as if there had been no pause.
      pauseEndedAt:
        posted.retryAfterMs === null
          ? null
          : await lastEndOfPause(database, ownerOf(row)).catch((err: unknown) => {
              log.warn({ err, eventId: row.eventId }, 'end of the last pause not read, Retry-After may be cut');
              return null;
            }),
      claimToken: options.claimToken,
      random: this.#deps.random ?? Math.random,
    });
    if (span) describeOutcome(span, outcome);
    this.#recording.logAttempt(row, outcome);
    // Without an address, there was no request.
    metrics.attemptMade(outcome.outcome, outcome.url === null ? null : outcome.durationMs);
    const { recorded, repeated } = await this.#recording.record(outcome, options.signal);
    // When the answer of a commit is lost, the repeated statement records nothing, because the first one has.
    const wasRecorded = recorded !== null && (recorded.recorded || repeated);
    const isLost = recorded?.recorded === false && !repeated;
    const isLast = outcome.last && !outcome.succeeded;
    const exhausted = recorded?.exhausted === true || (isLast && recorded?.recorded === false && repeated);
    if (wasRecorded) this.#recording.count(row, outcome, exhausted);
    if (exhausted) metrics.deliveryExhausted();
    // Without its claim, the relay's attempt is not recorded: another process makes or has made one.
    if (isLost && options.claimToken !== null) metrics.claimLost();
    return { result: resultOf(outcome, recorded, row.nowMs()), recorded: recorded?.recorded ?? false };
  }
}
