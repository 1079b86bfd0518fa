import { Batcher } from '../../database/batcher.ts';
import type { Database } from '../../database/database.ts';
import { type DatabaseFailure, databaseFailure } from '../../database/errors.ts';
import { ensurePartitions } from '../../database/partitions.ts';
import { channels } from '../event.ts';
import { lanes } from '../lanes.ts';

/** A verified webhook that is to be stored. */
export interface ReceivedEvent {
  id: string;
  accountId: string;
  provider: string;
  accountSlug: string;
  appKey: string;
  eventType: string | null;
  externalId: string;
  receivedAt: Date;
  /** `[name, value]` pairs, as JSON, secrets masked. */
  headers: string;
  contentType: string | null;
  body: Uint8Array;
  /** A UUID made of a hash. Within 24 hours, only the first webhook of a key is stored. Null: not deduplicated. */
  dedupKey: string | null;
}

/** The parameters that storing verified and rejected webhooks have in common, one array per column. */
export function inboundColumns(events: readonly Omit<ReceivedEvent, 'dedupKey'>[]): unknown[] {
  return [
    events.map((e) => e.id),
    events.map((e) => e.accountId),
    events.map((e) => e.provider),
    events.map((e) => e.accountSlug),
    events.map((e) => e.appKey),
    events.map((e) => e.eventType),
    events.map((e) => e.externalId),
    events.map((e) => e.receivedAt),
    events.map((e) => e.headers),
    events.map((e) => e.contentType),
    events.map((e) => e.body),
  ];
}

export type Receipt =
  | { kind: 'stored' }
  | { kind: 'duplicate' }
  /** The account was deleted or disabled after it was read. */
  | { kind: 'refused' }
  | { kind: 'failed'; failure: DatabaseFailure };

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | the webhook is verified and stored | `received` | `pending` |
 *
 * The same statement stores the deduplication key, the payload, and the row in the queue that the relay claims. Nothing
 * is stored for a duplicate, or if the account was deleted or disabled after it was read.
 */
const receiveEvents = {
  name: 'receive_events',
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                           $8::timestamptz[], $9::json[], $10::text[], $11::bytea[], $12::uuid[])
        as t (id, account_id, provider, account_slug, app_key, event_type, external_id, received_at, headers, content_type, body, dedup_key)
    ), live as (
      select i.* from input i join accounts a on a.id = i.account_id where a.enabled and a.deleted_at is null
    ), first as (
      insert into event_dedup as d (key, event_id, expires_at)
      select dedup_key, id, received_at + interval '24 hours' from live where dedup_key is not null order by dedup_key
      on conflict (key) do update set event_id = excluded.event_id, expires_at = excluded.expires_at where d.expires_at <= now()
      returning d.event_id
    ), accepted as (
      select l.* from live l where l.dedup_key is null or l.id in (select event_id from first)
    ), stored as (
      insert into events (id, account_id, provider, account_slug, app_key, event_type, external_id, status, delivery_status, generation_at, received_at)
      select id, account_id, provider, account_slug, app_key, event_type, external_id, 'received', 'pending', received_at, received_at from accepted
    ), payloads as (
      insert into event_payloads (event_id, headers, content_type, body) select id, headers, content_type, body from accepted
    ), queued as (
      insert into event_queue (event_id, account_id, generation, lane) select id, account_id, 0, ${lanes.firstAttempt} from accepted
      returning 1
    )
    select i.id, l.id is not null as live, c.id is not null as accepted, (select pg_notify('${channels.queue}', '') from queued limit 1) as told
    from input i left join live l on l.id = i.id left join accepted c on c.id = i.id`,
};

/** Rows per statement. Larger batches are not faster, and a slow commit would delay more requests. */
const maxBatch = 256;
/** Batches at the same time: one commits while the next one is sent. */
const maxRunning = 2;
/**
 * Waiting webhooks: about 2 s at full speed. With more, PostgreSQL is too slow, and the provider should retry later.
 */
const maxWaiting = 10_000;

/**
 * The driver sends all bodies of a batch as one hexadecimal string of twice their size. `maxBatch` keeps it far below
 * V8's longest string. `maxWaiting` bounds the memory while the database does not answer.
 */
export const bodyBytes = {
  of: (event: { body: Uint8Array }) => event.body.length,
  maxBatch: 8 * 1024 * 1024,
  maxWaiting: 128 * 1024 * 1024,
};

/** Stores verified webhooks. Webhooks that arrive at the same time share one commit. */
export class EventReceiver {
  readonly #database: Database;
  readonly #batcher: Batcher<ReceivedEvent, Receipt>;

  constructor(database: Database) {
    this.#database = database;
    this.#batcher = new Batcher<ReceivedEvent, Receipt>((events) => this.#store(events), {
      maxBatch,
      maxRunning,
      maxWaiting,
      bytes: bodyBytes,
      key: (event) => event.dedupKey ?? event.id,
    });
  }

  /**
   * Stores one webhook. Resolves after the commit.
   * @throws BatcherFull when too many webhooks are already waiting.
   */
  receive(event: ReceivedEvent): Promise<Receipt> {
    return this.#batcher.add(event);
  }

  async #store(events: ReceivedEvent[], tries = 3): Promise<Receipt[]> {
    try {
      return await this.#insert(events);
    } catch (error) {
      const failure = databaseFailure(error);
      switch (failure) {
        case 'no_partition':
        case 'retry':
          if (tries === 0) return events.map(() => ({ kind: 'failed', failure }));
          if (failure === 'no_partition') await this.#makePartitions(events);
          return this.#store(events, tries - 1);
        case 'bad_data':
          // One row that PostgreSQL refuses must not fail the others, so each row is stored separately.
          if (events.length === 1) return [{ kind: 'failed', failure }];
          return (await Promise.all(events.map((event) => this.#store([event])))).flat();
        case 'unavailable':
          return events.map(() => ({ kind: 'failed', failure }));
        default:
          return failure satisfies never;
      }
    }
  }

  async #insert(events: ReceivedEvent[]): Promise<Receipt[]> {
    const rows = await this.#database.query<{ id: string; live: boolean; accepted: boolean }>(receiveEvents, [
      ...inboundColumns(events),
      events.map((e) => e.dedupKey),
    ]);
    const receipts = new Map<string, Receipt>();
    for (const row of rows) {
      receipts.set(row.id, { kind: !row.live ? 'refused' : row.accepted ? 'stored' : 'duplicate' });
    }
    return events.map((event) => receipts.get(event.id) ?? { kind: 'failed', failure: 'unavailable' });
  }

  /** Creates the partitions of these events' days only. If that fails, the next insert fails again. */
  async #makePartitions(events: ReceivedEvent[]): Promise<void> {
    const days = new Map(events.map((e) => [e.receivedAt.toISOString().slice(0, 10), e.receivedAt]));
    for (const day of days.values()) await ensurePartitions(this.#database, day, 1).catch(() => undefined);
  }
}
