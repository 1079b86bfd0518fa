import { type Turn, TurnGate } from './turn-gate.ts';

/**
 * Bytes of large bodies that attempts hold at a time. Two accounts with all their turns in use (ACCOUNT_CONCURRENCY, 64)
 * and bodies of 1 MiB fit, and so does the worker into the 1 GiB of the compose file (test/process/large-bodies.test.ts).
 */
const totalBytes = 128 * 1024 * 1024;
/** The most of it that one account may hold, so that a slow consumer leaves room for the others. */
const accountBytes = totalBytes / 2;
const all = 'all';

/**
 * Bounds the bytes of the bodies that attempts read from the database and hold until the consumer has answered. A body
 * that is larger than a bound is held alone. Like `TurnGate`, it makes no caller wait: it returns the time after which to
 * ask again.
 */
export class BodyRoom {
  readonly #all = new TurnGate(totalBytes);
  readonly #accounts = new TurnGate(accountBytes);

  enter(event: { accountId: string; eventId: string; bodyBytes: number }, nowMs: number): Turn {
    const { accountId, eventId, bodyBytes } = event;
    const own = this.#accounts.enter(accountId, eventId, nowMs, bodyBytes);
    if ('waitMs' in own) return own;
    const shared = this.#all.enter(all, eventId, nowMs, bodyBytes);
    if ('waitMs' in shared) {
      own.leave('unused');
      return shared;
    }
    return {
      leave: (how) => {
        own.leave(how);
        shared.leave(how);
      },
    };
  }
}
