import type { Sql } from '../../database/sql.ts';
import type { SlotOrWait } from '../../delivery/slots.ts';
import { readEventRows } from '../../events/event.ts';
import { lookAgainMs, readPause } from '../../events/pause.ts';
import { isFolded } from '../bursts.ts';
import type { DestinationSettings } from '../destinations/destination-config.ts';
import { countLateMessage, lateMs } from '../fold.ts';
import type { DashboardLinks } from '../links.ts';
import { type FailureNotice, noticeId } from '../notice.ts';
import type { NotificationKey, NotificationStatus } from '../notification.ts';
import { type ClaimedNotification, claim, readState, recordFailure, recordSent } from '../notification-store.ts';
import type { FailedTry } from '../retries.ts';
import { readPayload, readTraceparent } from '../told-event.ts';
import type { DestinationSlots } from './destination-slots.ts';
import { type HandOverDeps, handOver } from './hand-over.ts';

/** The result of a call: the notification is settled, was deleted with its event, or needs another call later. */
export type Told =
  | { kind: 'settled'; status: Exclude<NotificationStatus, 'pending'> }
  | { kind: 'gone' }
  | { kind: 'later'; waitMs: number };

/** The shortest wait when another process's claim is about to end, so that the caller does not poll in a tight loop. */
const shortestWaitMs = 50;

export interface NotifierDeps extends HandOverDeps {
  sql: Sql;
  links: DashboardLinks;
  slots: DestinationSlots;
  /** The lease of a claim, in seconds: longer than a try including the recording of its outcome. */
  leaseS: number;
  /** The window of NOTIFY_BURST, in milliseconds; null without it. */
  burstMs: number | null;
}

/** Sends notifications. One instance per process: concurrent calls for one notification share one try. */
export class Notifier {
  readonly #deps: NotifierDeps;
  readonly #inFlight = new Map<string, Promise<Told>>();

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
  }

  /**
   * Makes the notification's next try if it is due, deliveries are not paused and the destination has a free slot. A
   * failed try is a result, not an error.
   *
   * @throws the database's error; in this case nothing was sent.
   */
  notify(key: NotificationKey, signal: AbortSignal): Promise<Told> {
    return this.#once(key, signal, () => this.#deps.slots.acquire(key.destinationId, noticeId(key)));
  }

  /** Like {@link notify}, for sweeps: reserves no slot. */
  notifyInPassing(key: NotificationKey, signal: AbortSignal): Promise<Told> {
    return this.#once(key, signal, () => this.#deps.slots.tryAcquire(key.destinationId));
  }

  #once(key: NotificationKey, signal: AbortSignal, acquire: () => SlotOrWait): Promise<Told> {
    const id = noticeId(key);
    const running = this.#inFlight.get(id);
    if (running) return running;
    const telling = this.#notify(key, signal, acquire).finally(() => this.#inFlight.delete(id));
    this.#inFlight.set(id, telling);
    return telling;
  }

  async #notify(key: NotificationKey, signal: AbortSignal, acquire: () => SlotOrWait): Promise<Told> {
    const pause = await readPause(this.#deps.sql);
    if (pause) return { kind: 'later', waitMs: lookAgainMs(pause, Date.now()) };
    const slot = acquire();
    if ('waitMs' in slot) return { kind: 'later', waitMs: slot.waitMs };
    try {
      const { sql, waitsMs, leaseS } = this.#deps;
      const claimed = await claim(sql, key, { tries: waitsMs.length + 1, leaseS });
      return claimed ? await this.#try(key, claimed, signal) : await this.#standing(key);
    } finally {
      slot.release();
    }
  }

  async #try(key: NotificationKey, claimed: ClaimedNotification, signal: AbortSignal): Promise<Told> {
    const { sql } = this.#deps;
    const one = {
      ids: { ...key },
      attempt: claimed.attempt,
      settings: claimed.settings,
      nowMs: claimed.nowMs,
      since: claimed.failedAt,
      traceparent: () => readTraceparent(sql, key.eventId),
      notice: (settings: DestinationSettings) => this.#notice(key, claimed, settings),
      sent: () => recordSent(sql, key),
      failed: (failure: FailedTry) => recordFailure(sql, key, failure),
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
        if (result.retryAfterMs !== null) this.#deps.slots.hold(key.destinationId, result.retryAfterMs);
        return { kind: 'later', waitMs: result.waitMs };
      default:
        return result satisfies never;
    }
  }

  /** A delayed message counts for the burst limit at the time when it was sent. */
  async #countLate({ settings, failedAt }: ClaimedNotification): Promise<void> {
    const { sql, burstMs } = this.#deps;
    if (burstMs === null || !isFolded(settings.destination_type)) return;
    if (Date.now() - failedAt.getTime() > lateMs) await countLateMessage(sql, settings.id, { failedAt, burstMs });
  }

  /**
   * The result when no try is due: the notification is settled, another process is making the try, or the last try has
   * no recorded outcome because its worker crashed. In the last case, records a failure.
   */
  async #standing(key: NotificationKey): Promise<Told> {
    const { sql, waitsMs } = this.#deps;
    const state = await readState(sql, key);
    if (!state) return { kind: 'gone' };
    const { status, attempts, waitMs, destinationType } = state;
    if (status !== 'pending') return { kind: 'settled', status };
    if (waitMs > 0 || attempts <= waitsMs.length) return { kind: 'later', waitMs: Math.max(waitMs, shortestWaitMs) };
    if (await recordFailure(sql, key, { attempt: attempts, error: null, waitMs: null, usesTry: true }))
      this.#deps.metrics.notificationTried(destinationType, 'failed');
    return { kind: 'settled', status: 'failed' };
  }

  async #notice(
    key: NotificationKey,
    claimed: ClaimedNotification,
    settings: DestinationSettings,
  ): Promise<FailureNotice | null> {
    const { sql, links } = this.#deps;
    const [event] = await readEventRows(sql, [key.eventId]);
    if (!event) return null;
    const whole = settings.destination_type === 'email' && settings.config.include_payload === true;
    return {
      kind: 'delivery_failed',
      id: noticeId(key),
      sample: false,
      failedAt: claimed.failedAt,
      // The event's state at the time of the failure, so that every try sends the same message.
      event: { ...event, ...claimed.eventThen },
      error: claimed.eventThen.last_error ?? 'no reason was recorded',
      attempts: claimed.eventThen.attempts,
      dashboardUrl: links.event(key.eventId),
      payload: whole ? await readPayload(sql, key.eventId) : null,
    };
  }
}
