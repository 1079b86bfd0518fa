import { LRUCache } from 'lru-cache';
import type { Sql } from '../../src/database/database.ts';
import type { DestinationSettings } from '../../src/destinations/destination-config.ts';
import { lookAgainMs, readPause } from '../../src/events/pause.ts';
import type { DashboardLinks } from '../../src/notifications/links.ts';
import { type FailureNotice, noticeId } from '../../src/notifications/notice.ts';
import type { NotificationKey, NotificationStatus } from '../../src/notifications/notification.ts';
import {
  type ClaimedNotification,
  claim,
  readState,
  recordFailure,
  recordSent,
} from '../../src/notifications/notification-store.ts';
import { longestWaitMs } from '../../src/notifications/retries.ts';
import { readEvent, readPayload } from '../../src/notifications/told-event.ts';
import { TurnGate } from '../turn-gate.ts';
import { type HandOverDeps, handOver } from './hand-over.ts';

/** How asking for a notification ended: it is settled, it is gone with its event, or it is to be asked for again. */
export type Told =
  | { kind: 'settled'; status: Exclude<NotificationStatus, 'pending'> }
  | { kind: 'gone' }
  | { kind: 'later'; waitMs: number };

/** Services that people read in do not like crowds; eight at once are done with a thousand events within a minute. */
const inFlightPerDestination = 8;
/** Whoever finds another one's claim just about to end need not ask in the same millisecond. */
const shortestWaitMs = 50;

/** Tells destinations of exhausted events. One for a process: it bounds what is in flight to each. */
export class Notifier {
  readonly #deps: HandOverDeps & { sql: Sql; links: DashboardLinks; leaseS: number };
  readonly #gate = new TurnGate(inFlightPerDestination);
  /** Until when a destination has asked to be left alone: its other messages need not use up their tries on that. */
  readonly #heldUntilMs = new LRUCache<string, number>({ max: 10_000 });
  readonly #inFlight = new Map<string, Promise<Told>>();

  /** @param deps.leaseS how long a try may take at most, with writing down how it ended */
  constructor(deps: HandOverDeps & { sql: Sql; links: DashboardLinks; leaseS: number }) {
    this.#deps = deps;
  }

  /**
   * Makes the notification's next try if it is due and deliveries are not paused; two calls at once make one try. Whatever the destination says is an
   * answer.
   *
   * @throws what the database throws; nothing was sent then.
   */
  notify(key: NotificationKey, signal: AbortSignal): Promise<Told> {
    const id = noticeId(key);
    const running = this.#inFlight.get(id);
    if (running) return running;
    const telling = this.#notify(key, id, signal).finally(() => this.#inFlight.delete(id));
    this.#inFlight.set(id, telling);
    return telling;
  }

  async #notify(key: NotificationKey, id: string, signal: AbortSignal): Promise<Told> {
    const nowMs = Date.now();
    const pause = await readPause(this.#deps.sql);
    if (pause) return { kind: 'later', waitMs: lookAgainMs(pause, nowMs) };
    const heldMs = (this.#heldUntilMs.get(key.destinationId) ?? 0) - nowMs;
    if (heldMs > 0) return { kind: 'later', waitMs: heldMs };
    const turn = this.#gate.enter(key.destinationId, id, nowMs);
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
      case 'failed':
        return { kind: 'settled', status: result.kind };
      case 'gone':
        return { kind: 'gone' };
      case 'again':
        if (result.retryAfterMs !== null)
          this.#heldUntilMs.set(key.destinationId, Date.now() + Math.min(result.retryAfterMs, longestWaitMs));
        return { kind: 'later', waitMs: result.waitMs };
      default:
        return result satisfies never;
    }
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
      event,
      error: claimed.eventError ?? 'no reason was recorded',
      attempts: claimed.eventAttempts,
      dashboardUrl: links.event(key.eventId),
      payload: whole ? await readPayload(sql, key.eventId) : null,
    };
  }
}
