import type { Count } from './write-counts.ts';

/** So many different events in a row that fail open an incident. */
const streakLength = 5;
/** The failure of one event that opens an incident: the fourth comes minutes after the first one. */
const openingNumber = 4;
/** Successes in a row after which a consumer works again. */
export const provingSuccesses = 2;
/** Different causes of a consumer that are told apart at a time; all others are `otherCause`. */
export const mostCauses = 5;
export const otherCause = 'other';

/** An attempt that was made and recorded. */
export interface AttemptMade {
  accountId: string;
  /** For `default`, the id of the account. */
  consumerId: string;
  eventId: string;
  trigger: 'schedule' | 'manual';
  number: number;
  succeeded: boolean;
  /** Whether it was the last one of its event and failed. */
  exhausted: boolean;
  /** By the clock of PostgreSQL. */
  endedMs: number;
}

interface CauseCount {
  failed: number;
  opens: boolean;
  /** The time of the failure that opens the incident by itself, or when the failures in a row began that do; null: none does. */
  openedMs: number | null;
  firstMs: number;
  lastMs: number;
  example: string;
  oldest: string;
}

/** Successes between two times. */
interface Successes {
  count: number;
  firstMs: number;
  lastMs: number;
}

const none = (): Successes => ({ count: 0, firstMs: 0, lastMs: 0 });

/** What one process has seen of one consumer since it was last written. Successes only increase numbers. */
export class ConsumerFailures {
  readonly #accountId: string;
  readonly #consumerId: string;
  readonly #causes = new Map<string, CauseCount>();
  /**
   * The last different events that failed in a row, at most `streakLength`, with the time of the last failure of each, and
   * the causes of all failures in a row.
   */
  readonly #streak = new Map<string, number>();
  readonly #streakCauses = new Map<string, number>();
  /** Successes before the last failure, and after it. */
  #before = none();
  #after = none();
  /** Calls of `rows` since the last attempt. */
  idleRounds = 0;

  constructor(accountId: string, consumerId: string) {
    this.#accountId = accountId;
    this.#consumerId = consumerId;
  }

  /** Whether nothing is lost when the consumer is forgotten. */
  get isQuiet(): boolean {
    return this.#streak.size === 0 && this.#causes.size === 0;
  }

  /** Whether there are successes that were not written. */
  get hasSucceeded(): boolean {
    return this.#after.count > 0;
  }

  succeeded(endedMs: number): void {
    this.idleRounds = 0;
    const after = this.#after;
    if (after.count === 0) after.firstMs = endedMs;
    after.count += 1;
    after.lastMs = endedMs;
    if (this.#streak.size === 0) return;
    this.#streak.clear();
    this.#streakCauses.clear();
  }

  /** @returns whether the failure opens an incident. */
  failed(attempt: AttemptMade, given: string): boolean {
    const { eventId, endedMs } = attempt;
    this.idleRounds = 0;
    this.#successesAreOver();
    const cause = this.#nameOf(given);
    const count = this.#causes.get(cause);
    if (count) {
      count.failed += 1;
      count.lastMs = Math.max(count.lastMs, endedMs);
      count.example = eventId;
      if (eventId < count.oldest) count.oldest = eventId;
    } else {
      this.#causes.set(cause, {
        ...{ failed: 1, opens: false, openedMs: null, firstMs: endedMs, lastMs: endedMs },
        ...{ example: eventId, oldest: eventId },
      });
    }
    const byItself = opensByItself(attempt);
    const opening = byItself ? cause : this.#streakOpens(attempt, cause);
    const opened = opening === null ? undefined : this.#causes.get(opening);
    if (!opened) return false;
    const fromMs = byItself ? endedMs : Math.min(...this.#streak.values());
    opened.openedMs = Math.max(fromMs, opened.openedMs ?? fromMs);
    opened.opens = true;
    return true;
  }

  /** What is to be written, after which counting begins again. @param watched whether successes matter, too */
  rows(watched: boolean): Count[] {
    this.idleRounds += 1;
    const owner = { kind: 'delivery' as const, accountId: this.#accountId, consumerId: this.#consumerId };
    const rows = [...this.#causes].map(
      ([cause, { openedMs, ...count }]): Count => ({
        ...{ ...owner, ...count, firstMs: openedMs ?? count.firstMs, cause, succeeded: 0 },
      }),
    );
    if (!watched && rows.length === 0) return rows;
    for (const { count: succeeded, firstMs, lastMs } of [this.#before, this.#after])
      if (succeeded > 0)
        rows.push({
          ...{ ...owner, cause: null, opens: false, failed: 0, succeeded, firstMs, lastMs },
          ...{ example: null, oldest: null },
        });
    this.#causes.clear();
    this.#before = none();
    this.#after = none();
    return rows;
  }

  /**
   * Successes of more than about a minute ago say nothing of the failures of now. The last two are kept, because they show
   * that a consumer works again, to a process that learns later that it has failed.
   */
  forgetSuccesses(): void {
    const { count, lastMs } = this.#after;
    this.#before = none();
    if (count > provingSuccesses) this.#after = { count: provingSuccesses, firstMs: lastMs, lastMs };
  }

  #successesAreOver(): void {
    const { count, firstMs, lastMs } = this.#after;
    if (count === 0) return;
    if (this.#before.count === 0) this.#before.firstMs = firstMs;
    this.#before.count += count;
    this.#before.lastMs = lastMs;
    this.#after = none();
  }

  #nameOf(cause: string): string {
    if (this.#causes.has(cause) || this.#streakCauses.has(cause)) return cause;
    return Math.max(this.#causes.size, this.#streakCauses.size) < mostCauses ? cause : otherCause;
  }

  /** The cause for which the failures in a row open an incident; null: none. */
  #streakOpens({ eventId, endedMs }: AttemptMade, cause: string): string | null {
    const times = (this.#streakCauses.get(cause) ?? 0) + 1;
    this.#streakCauses.set(cause, times);
    const wasLong = this.#streak.size === streakLength;
    this.#streak.delete(eventId);
    const [oldest] = this.#streak.keys();
    if (oldest !== undefined && this.#streak.size === streakLength) this.#streak.delete(oldest);
    this.#streak.set(eventId, endedMs);
    if (wasLong) return times >= streakLength ? cause : null;
    if (this.#streak.size < streakLength) return null;
    // The commonest cause that was not written yet, else the latest one.
    const common = [...this.#streakCauses].filter(([one]) => this.#causes.has(one)).sort((a, b) => b[1] - a[1]);
    const [first] = common;
    return first && first[1] > times ? first[0] : cause;
  }
}

const opensByItself = ({ trigger, number, exhausted }: AttemptMade) =>
  exhausted || (trigger === 'schedule' && number === openingNumber);
