import type { Database } from '../../database/database.ts';
import { uuidFloor, uuidMs } from '../../database/uuid-time.ts';
import { CallLimit } from '../../http/admin/call-limit.ts';
import { Problem } from '../../http/problem.ts';
import type { Log } from '../../shared/log.ts';
import { beforeAll, type Cursor, readCursor } from './cursor.ts';
import { accountsOf, conditionOf, type FeedFilter } from './feed-filter.ts';
import { firstOfFeed, lossOf, readFeedBearings } from './feed-state.ts';
import { FeedWakes } from './feed-wakes.ts';
import { firstOfCondition, readPage } from './read-page.ts';

/** Calls of one process at a time, most of which wait. Each answer may take 10 MiB until its client has read it. */
const maxCalls = 64;
/** Of the four connections for operators' lists, half. */
const pagesAtOnce = 2;
/** Seconds after which a refused client may try again. */
const retryAfterS = 5;

export interface FeedRequest {
  filter: FeedFilter;
  /** As the client sent it; undefined: a new reader. */
  cursor: string | undefined;
  /** Where a new reader begins; undefined: now. */
  since: Date | undefined;
  limit: number;
  /** How long to wait for an event. */
  waitMs: number;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

/** An answer of the feed. */
export interface FeedAnswer {
  /** Events with headers and body, as JSON. */
  items: string[];
  cursor: Cursor;
  done: boolean;
}

/** Gives readers the stored events in one order (docs/feed.md). */
export class Feed {
  readonly #database: Pick<Database, 'reader'>;
  readonly #draining: AbortSignal;
  readonly #wakes: FeedWakes;
  readonly #pages = new CallLimit({ kind: 'readers of the feed', atOnce: pagesAtOnce, maxWaiting: maxCalls });
  #calls = 0;

  /** @param options.draining aborted when the process is about to stop: waiting readers are answered */
  constructor({ database, log, draining }: { database: Pick<Database, 'reader'>; log: Log; draining: AbortSignal }) {
    this.#database = database;
    this.#draining = draining;
    this.#wakes = new FeedWakes({ sql: database.reader, log });
  }

  /** Whether new events are being looked for: only while readers wait. */
  get isLooking(): boolean {
    return this.#wakes.isLooking;
  }

  /** Resolves when nothing of it uses the database any more. The process is draining, so no reader waits. */
  closed(): Promise<void> {
    return this.#wakes.closed();
  }

  /**
   * @throws Problem `cursor_expired`, `too_many_calls` or `stopping`; the signal's reason; the database's error.
   */
  async read(request: FeedRequest): Promise<FeedAnswer> {
    if (this.#calls >= maxCalls)
      throw new Problem('too_many_calls', `this process answers ${maxCalls} readers of the feed; try again later`, {
        headers: { 'retry-after': String(retryAfterS) },
      });
    this.#calls += 1;
    try {
      return await this.#read(request);
    } finally {
      this.#calls -= 1;
    }
  }

  async #read({ filter, cursor: given, since, limit, waitMs, signal }: FeedRequest): Promise<FeedAnswer> {
    const sql = this.#database.reader;
    // Otherwise a client that waits would ask again and again until the server is closed.
    if (waitMs > 0) this.#draining.throwIfAborted();
    const watch = waitMs > 0 ? await this.#wakes.watch(accountsOf(filter)) : null;
    const waited = watch && AbortSignal.any([signal, this.#draining, AbortSignal.timeout(waitMs)]);
    try {
      let cursor = given === undefined ? await this.#begin(since) : readCursor(given);
      const condition = conditionOf(filter, firstOfCondition);
      for (;;) {
        if (cursor === null) throw await this.#expired();
        const after = cursor;
        const { items, end, done } = await this.#pages.run(signal, () => readPage(sql, { after, condition, limit }));
        const loss = await lossOf(sql, after);
        if (loss === null) throw await this.#expired();
        cursor = { epoch: after.epoch, xid: end.xid, id: end.id, loss };
        if (items.length > 0 || !done || !watch || !waited || waited.aborted) return { items, cursor, done };
        await watch.news(waited);
        signal.throwIfAborted();
      }
    } finally {
      watch?.end();
    }
  }

  /** The place where a new reader begins. */
  async #begin(since: Date | undefined): Promise<Cursor> {
    const sql = this.#database.reader;
    const { epoch, loss, end } = await readFeedBearings(sql);
    const first = since === undefined ? null : await firstOfFeed(sql, uuidFloor(since));
    // An event of a transaction that had not ended when `end` was read may have others before it that come later. Otherwise the
    // reader begins before the first event, whose transaction has no other one of the same millisecond before it.
    const isSettled = first !== null && BigInt(first.xid) < BigInt(end);
    const place = isSettled
      ? { xid: first.xid, id: uuidFloor(new Date(uuidMs(first.id))) }
      : { xid: end, id: beforeAll };
    return { epoch, loss, ...place };
  }

  async #expired(): Promise<Problem> {
    const first = await firstOfFeed(this.#database.reader, beforeAll);
    const oldest = first?.at.toISOString();
    return new Problem(
      'cursor_expired',
      oldest === undefined
        ? 'events after this cursor may be gone, and the feed is empty; begin without a cursor'
        : 'events after this cursor may be gone; begin with since=<oldest>, the time of the oldest event that is left',
      { oldest },
    );
  }
}
