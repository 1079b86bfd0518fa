import { type DeniedCaller, deniedLimits, minuteMs } from './denied-call.ts';

/** The start of the minute or day (UTC) that `atMs` is in, in milliseconds since 1970. */
export const startOf = (spanMs: number, atMs: number) => Math.floor(atMs / spanMs) * spanMs;

/**
 * Remembers which limits are reached, so that calls beyond them cost no statement. It also admits no more calls in a
 * minute than the limit of all processes: while the database is unavailable, a flood must not fill the queue.
 */
export class DeniedGate {
  /** By caller: the calls that may still be written, and when this ends, in milliseconds since 1970. */
  readonly #left = new Map<DeniedCaller, { calls: number; untilMs: number }>();

  /** Takes one of the entries that this minute may still have. False: the call is only counted. */
  take(caller: DeniedCaller): boolean {
    const nowMs = Date.now();
    let left = this.#left.get(caller);
    if (left === undefined || nowMs >= left.untilMs) {
      left = { calls: deniedLimits[caller].perMinute, untilMs: startOf(minuteMs, nowMs) + minuteMs };
      this.#left.set(caller, left);
    }
    if (left.calls === 0) return false;
    left.calls -= 1;
    return true;
  }

  /** Admits no more calls of this caller until this time, because all processes together have enough. */
  close(caller: DeniedCaller, untilMs: number): void {
    const left = this.#left.get(caller);
    // An answer about a minute that is over says nothing about the present one.
    if (left === undefined || untilMs >= left.untilMs) this.#left.set(caller, { calls: 0, untilMs });
  }
}
