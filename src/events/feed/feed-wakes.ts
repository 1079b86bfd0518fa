import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../database/sql.ts';
import type { Log } from '../../shared/log.ts';
import { inFeed, readFeedBearings, settledEnd } from './feed-state.ts';

/** How often new events are looked for while readers wait. A reader's delay, so short; one statement of about 1 ms. */
const lookMs = 200;
/** While the database is unavailable. */
const errorDelayMs = 2_000;
/** More new events than this at a time wake all readers. */
const mostNews = 1_000;

const readNews = {
  name: 'read_feed_news',
  text: `
    with news as materialized (
      select e.account_id from events e where e.stored_xid >= $1::text::xid8 and e.stored_xid < ${settledEnd} and ${inFeed('e')}
      order by e.stored_xid, e.id limit ${mostNews}
    )
    select ${settledEnd}::text as "end", (select count(*)::integer from news) as count, array(select distinct account_id from news) as "accountIds"`,
};

/** A reader that waits. */
interface Waiter {
  /** Null: all. */
  accountIds: ReadonlySet<string> | null;
  isWoken: boolean;
  wake: () => void;
}

/** Tells waiting readers of a process about new events. One loop looks for all of them, and only while there are any. */
export class FeedWakes {
  readonly #sql: Sql;
  readonly #log: Log;
  readonly #waiters = new Set<Waiter>();
  #end = '0';
  #starting: Promise<void> | null = null;
  #running: Promise<void> | null = null;

  /** @param options.sql the connections for operators' lists */
  constructor({ sql, log }: { sql: Sql; log: Log }) {
    this.#sql = sql;
    this.#log = log;
  }

  /** Whether new events are being looked for. */
  get isLooking(): boolean {
    return this.#running !== null;
  }

  /**
   * Begins to watch for events of some accounts. Events that are stored after this has resolved are not missed, so read
   * first, and wait then.
   *
   * @throws the database's error.
   */
  async watch(accountIds: readonly string[] | undefined): Promise<Watch> {
    const waiter: Waiter = {
      accountIds: accountIds ? new Set(accountIds) : null,
      isWoken: false,
      wake: () => undefined,
    };
    this.#waiters.add(waiter);
    try {
      await this.#start();
    } catch (error) {
      this.#waiters.delete(waiter);
      throw error;
    }
    return {
      async news(signal) {
        if (!waiter.isWoken && !signal.aborted) {
          const { promise, resolve } = Promise.withResolvers<void>();
          waiter.wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
          await promise;
        }
        waiter.isWoken = false;
      },
      end: () => void this.#waiters.delete(waiter),
    };
  }

  /** Resolves when the loop has ended. All readers have ended before. */
  async closed(): Promise<void> {
    await this.#running;
  }

  async #start(): Promise<void> {
    if (this.#running !== null) return;
    this.#starting ??= readFeedBearings(this.#sql)
      .then(({ end }) => {
        this.#end = end;
        this.#running = this.#run();
      })
      .finally(() => {
        this.#starting = null;
      });
    await this.#starting;
  }

  async #run(): Promise<void> {
    let failing = false;
    while (this.#waiters.size > 0) {
      await sleep(failing ? errorDelayMs : lookMs);
      try {
        await this.#look();
        failing = false;
      } catch (error) {
        if (!failing) this.#log.warn({ err: error }, 'new events of the feed not read, retrying');
        failing = true;
        // Their own reads tell their clients.
        this.#wake(() => true);
      }
    }
    this.#running = null;
  }

  async #look(): Promise<void> {
    const [news] = await this.#sql.query<{ end: string; count: number; accountIds: string[] }>(readNews, [this.#end]);
    if (!news) return;
    this.#end = news.end;
    if (news.count === 0) return;
    this.#wake(
      ({ accountIds }) =>
        accountIds === null || news.count === mostNews || news.accountIds.some((id) => accountIds.has(id)),
    );
  }

  #wake(concerns: (waiter: Waiter) => boolean): void {
    for (const waiter of this.#waiters) {
      if (!concerns(waiter)) continue;
      waiter.isWoken = true;
      waiter.wake();
    }
  }
}

/** The watch of one reader. */
export interface Watch {
  /** Resolves when there may be new events since the last call, or when the signal is aborted. */
  news(signal: AbortSignal): Promise<void>;
  end(): void;
}
