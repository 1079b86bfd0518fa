import type { Log } from '../shared/log.ts';
import { RareWarning } from '../shared/rare-warning.ts';
import type { RejectionLimits } from './rejection-limits.ts';
import { allAccounts, type Recorded } from './transitions/rejected.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The limit that is reached, and when it is reset, in milliseconds since 1970. */
type Closure = { limit: 'minute' | 'day'; untilMs: number };

/** The end of the minute or day (UTC) that `atMs` is in, in milliseconds since 1970. */
const endOf = (spanMs: number, atMs: number) => (Math.floor(atMs / spanMs) + 1) * spanMs;

/**
 * Remembers which accounts have reached a limit, until the minute or day ends. Their rejected webhooks are only
 * counted, so they need not be hashed or parsed. Logs a warning for daily limits, because rows that an operator may
 * look for are missing.
 */
export class RejectionGate {
  readonly #limits: RejectionLimits;
  readonly #log: Pick<Log, 'warn'>;
  readonly #now: () => number;
  /** By account id. Has at most one entry per account. */
  readonly #closed = new Map<string, Closure>();
  readonly #notKept: RareWarning;

  constructor(options: { limits: RejectionLimits; log: Pick<Log, 'warn'>; now: () => number }) {
    this.#limits = options.limits;
    this.#log = options.log;
    this.#now = options.now;
    this.#notKept = new RareWarning(options.now);
  }

  /** Whether a limit is reached, so that a rejected webhook of this account would not be kept. */
  isClosed(accountId: string): boolean {
    return this.#isClosed(accountId) || this.#isClosed(allAccounts);
  }

  #isClosed(accountId: string): boolean {
    const closure = this.#closed.get(accountId);
    if (closure === undefined) return false;
    if (this.#now() >= closure.untilMs) {
      this.#closed.delete(accountId);
      return false;
    }
    if (closure.limit === 'day') this.#notKept.add();
    return true;
  }

  /**
   * Stores which limits are reached, from the database's answer to the last recording.
   *
   * @param askedAtMs when the recording began. The answer is about this minute and day: one that arrives after midnight
   *   must not close the next day.
   */
  learn({ refused, full_minute, full_day, all_full }: Recorded, askedAtMs: number): void {
    const minute: Closure = { limit: 'minute', untilMs: endOf(minuteMs, askedAtMs) };
    const day: Closure = { limit: 'day', untilMs: endOf(dayMs, askedAtMs) };
    for (const account of full_minute) this.#closed.set(account, minute);
    for (const account of [...full_day, ...(all_full ? [allAccounts] : [])]) this.#closed.set(account, day);
    this.#notKept.add(refused);
    if (full_day.length === 0 && !all_full) return;
    const accounts = full_day.slice(0, 10);
    this.#notKept.tell((notKept) =>
      this.#log.warn(
        { accounts, notKept, ...this.#limits },
        all_full
          ? 'daily limit of rejected webhooks reached, only counting them (REJECTED_DAILY_BYTES)'
          : 'daily limit of rejected webhooks of an account reached, only counting them (REJECTED_ACCOUNT_DAILY_BYTES)',
      ),
    );
  }
}
