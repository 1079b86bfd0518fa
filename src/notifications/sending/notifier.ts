import type { Sql } from '../../database/sql.ts';
import type { Turn } from '../../delivery/turn-gate.ts';
import type { DestinationSettings } from '../../destinations/destination-config.ts';
import { lookAgainMs, readPause } from '../../events/pause.ts';
import { isFolded } from '../bursts.ts';
import { countLateMessage } from '../fold.ts';
import type { DashboardLinks } from '../links.ts';
import { type FailureNotice, noticeId } from '../notice.ts';
import type { NotificationKey, NotificationStatus } from '../notification.ts';
import { type ClaimedNotification, claim, readState, recordFailure, recordSent } from '../notification-store.ts';
import { readEvent, readPayload } from '../told-event.ts';
import type { DestinationTurns } from './destination-turns.ts';
import { type HandOverDeps, handOver } from './hand-over.ts';

/** How asking for a notification ended: it is settled, it is gone with its event, or it is to be asked for again. */
export type Told =
  | { kind: 'settled'; status: Exclude<NotificationStatus, 'pending'> }
  | { kind: 'gone' }
  | { kind: 'later'; waitMs: number };

/** Whoever finds another one's claim just about to end need not ask in the same millisecond. */
const shortestWaitMs = 50;
/** One that arrives within this came as planned. */
const lateMs = 5_000;

export interface NotifierDeps extends HandOverDeps {
  sql: Sql;
  links: DashboardLinks;
  turns: DestinationTurns;
  /** How long a try may take at most, with writing down how it ended. */
  leaseS: number;
  /** The window of NOTIFY_BURST, in milliseconds; null without it. */
  burstMs: number | null;
}

/** Tells destinations of exhausted events. One for a process: two calls at once about one notification make one try. */
export class Notifier {
  readonly #deps: NotifierDeps;
  readonly #inFlight = new Map<string, Promise<Told>>();

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
  }

  /**
   * Makes the notification's next try if it is due, deliveries are not paused, and it is its turn. Whatever the destination
   * says is an answer.
   *
   * @throws what the database throws; nothing was sent then.
   */
  notify(key: NotificationKey, signal: AbortSignal): Promise<Told> {
    return this.#once(key, signal, () => this.#deps.turns.enter(key.destinationId, noticeId(key)));
  }

  /** The same for who comes by again anyhow: no turn is kept for them. */
  notifyInPassing(key: NotificationKey, signal: AbortSignal): Promise<Told> {
    return this.#once(key, signal, () => this.#deps.turns.enterInPassing(key.destinationId));
  }

  #once(key: NotificationKey, signal: AbortSignal, enter: () => Turn): Promise<Told> {
    const id = noticeId(key);
    const running = this.#inFlight.get(id);
    if (running) return running;
    const telling = this.#notify(key, signal, enter).finally(() => this.#inFlight.delete(id));
    this.#inFlight.set(id, telling);
    return telling;
  }

  async #notify(key: NotificationKey, signal: AbortSignal, enter: () => Turn): Promise<Told> {
    const pause = await readPause(this.#deps.sql);
    if (pause) return { kind: 'later', waitMs: lookAgainMs(pause, Date.now()) };
    const turn = enter();
    if ('waitMs' in turn) return { kind: 'later', waitMs: turn.waitMs };
    try {
      const { sql, waitsMs, leaseS } = this.#deps;
      const claimed = await claim(sql, key, { tries: waitsMs.length + 1, leaseS });
      return claimed ? await this.#try(key, claimed, signal) : await this.#standing(key);
    } finally {
      turn.leave();
    }
  }

  async #try(key: NotificationKey, claimed: ClaimedNotification, signal: AbortSignal): Promise<Told> {
    const { sql } = this.#deps;
    const one = {
      ids: { ...key },
      attempt: claimed.attempt,
      settings: claimed.settings,
      notice: (settings: DestinationSettings) => this.#notice(key, claimed, settings),
      sent: () => recordSent(sql, key),
      failed: (failure: Parameters<typeof recordFailure>[2]) => recordFailure(sql, key, failure),
    };
    const result = await handOver(this.#deps, one, signal);
    switch (result.kind) {
      case 'sent':
        await this.#countLate(claimed);
        return { kind: 'settled', status: 'sent' };
      case 'failed':
        return { kind: 'settled', status: 'failed' };
      case 'gone':
        return { kind: 'gone' };
      case 'again':
        if (result.retryAfterMs !== null) this.#deps.turns.hold(key.destinationId, result.retryAfterMs);
        return { kind: 'later', waitMs: result.waitMs };
      default:
        return result satisfies never;
    }
  }

  /** A message that had to wait counts for the burst limit from when it arrived. */
  async #countLate({ settings, failedAt }: ClaimedNotification): Promise<void> {
    const { sql, burstMs } = this.#deps;
    if (burstMs === null || !isFolded(settings.destination_type)) return;
    if (Date.now() - failedAt.getTime() > lateMs) await countLateMessage(sql, settings.id, { failedAt, burstMs });
  }

  /** There is no try to make now: it is settled, somebody else makes it, or the last one was never answered for. */
  async #standing(key: NotificationKey): Promise<Told> {
    const { sql, waitsMs } = this.#deps;
    const state = await readState(sql, key);
    if (!state) return { kind: 'gone' };
    const { status, attempts, waitMs } = state;
    if (status !== 'pending') return { kind: 'settled', status };
    if (waitMs > 0 || attempts <= waitsMs.length) return { kind: 'later', waitMs: Math.max(waitMs, shortestWaitMs) };
    await recordFailure(sql, key, { attempt: attempts, error: null, waitMs: null });
    return { kind: 'settled', status: 'failed' };
  }

  async #notice(
    key: NotificationKey,
    claimed: ClaimedNotification,
    settings: DestinationSettings,
  ): Promise<FailureNotice | null> {
    const { sql, links } = this.#deps;
    const event = await readEvent(sql, key.eventId);
    if (!event) return null;
    const whole = settings.destination_type === 'email' && settings.config.include_payload === true;
    return {
      kind: 'delivery_failed',
      id: noticeId(key),
      sample: false,
      failedAt: claimed.failedAt,
      // As it was then, whatever became of it since: each try says the same.
      event: { ...event, ...claimed.eventThen },
      error: claimed.eventThen.last_error ?? 'no reason was recorded',
      attempts: claimed.eventThen.attempts,
      dashboardUrl: links.event(key.eventId),
      payload: whole ? await readPayload(sql, key.eventId) : null,
    };
  }
}
