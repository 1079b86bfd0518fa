import { type SlotOrWait, Slots } from './slots.ts';

/**
 * Bytes of large bodies that attempts hold at a time. Two accounts with all their slots in use (ACCOUNT_CONCURRENCY, 64)
 * and bodies of 1 MiB fit, and so does the worker into the 1 GiB of the compose file (test/process/large-bodies.test.ts).
 */
const totalBytes = 128 * 1024 * 1024;
/** The most of it that one account may hold, so that a slow consumer leaves room for the others. */
const accountBytes = totalBytes / 2;
const all = 'all';

/**
 * Bounds the bytes of the bodies that attempts read from the database and hold until the consumer has answered. A body
 * that is larger than a bound is held alone. Like `Slots`, it makes no caller wait: it returns the time after which to
 * ask again.
 */
export class BodyRoom {
  readonly #all = new Slots(totalBytes);
  readonly #accounts = new Slots(accountBytes);

  acquire(event: { accountId: string; eventId: string; bodyBytes: number }, nowMs: number): SlotOrWait {
    const { accountId, eventId, bodyBytes } = event;
    const own = this.#accounts.acquire(accountId, eventId, nowMs, bodyBytes);
    if ('waitMs' in own) return own;
    const shared = this.#all.acquire(all, eventId, nowMs, bodyBytes);
    if ('waitMs' in shared) {
      own.release('unused');
      return shared;
    }
    return {
      release: (how) => {
        own.release(how);
        shared.release(how);
      },
    };
  }
}
