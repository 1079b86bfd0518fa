import type pg from 'pg';
import type { Database } from '../../../src/database/database.ts';
import { cursorText } from '../../../src/events/feed/cursor.ts';
import { Feed, type FeedRequest } from '../../../src/events/feed/feed.ts';
import { createLog } from '../../../src/shared/log.ts';

const log = createLog('silent');
const { signal } = new AbortController();

/** A feed as of a process that does not stop. */
export const feedOf = (database: Database) => new Feed({ database, log, draining: signal });

/** Numbers below `n`, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
  };
}

/** An event with a payload. @param $1 its id, $2 its account */
export const insert = `
  with event as (
    insert into events (id, account_id, provider, account_slug, app_key, external_id, status, delivery_status, generation_at, received_at)
    values ($1, $2, 'generic', 'slug', 'tests', 'x', 'received', 'pending', now(), now())
  ) insert into event_payloads (event_id, headers, body) values ($1, '[["A","b"]]', 'body')`;

export interface Written {
  id: string;
  accountId: string;
}

/** A connection whose transaction stays open for some steps. */
export class Writer {
  readonly #client: pg.Client;
  #open: Written[] | null = null;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  async write(event: Written): Promise<void> {
    if (this.#open === null) await this.#client.query('begin');
    this.#open = [...(this.#open ?? []), event];
    await this.#client.query(insert, [event.id, event.accountId]);
  }

  async writeAndTakeBack(event: Written): Promise<void> {
    if (this.#open === null) return;
    await this.#client.query('savepoint s');
    await this.#client.query(insert, [event.id, event.accountId]);
    await this.#client.query('rollback to savepoint s');
  }

  async end(how: 'commit' | 'rollback'): Promise<Written[]> {
    const events = this.#open ?? [];
    this.#open = null;
    await this.#client.query(how);
    return how === 'commit' ? events : [];
  }
}

/** A reader that goes on from its stored cursor, each time in another process. */
export class Reader {
  readonly ids: string[] = [];
  readonly accountIds: string[] | undefined;
  /** How many events were committed before it began. */
  readonly from: number;
  cursor: string | undefined;

  constructor(accountIds: string[] | undefined, from: number) {
    this.accountIds = accountIds;
    this.from = from;
  }

  async read(of: Database, limit: number): Promise<boolean> {
    const { items, cursor, done } = await feedOf(of).read(this.request({ limit }));
    this.ids.push(...items.map((json) => JSON.parse(json).event.id));
    this.cursor = cursorText(cursor);
    return done;
  }

  request(fields: Partial<FeedRequest> = {}): FeedRequest {
    const { accountIds, cursor } = this;
    return { filter: { accountIds }, cursor, since: undefined, limit: 1_000, waitMs: 0, signal, ...fields };
  }
}
