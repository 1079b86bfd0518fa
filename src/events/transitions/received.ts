import { Batcher } from '../../database/batcher.ts';
import type { Database } from '../../database/database.ts';
import { type DatabaseFailure, databaseFailure } from '../../database/errors.ts';
import { ensurePartitions } from '../../database/partitions.ts';
import { type CircumstanceRow, type Circumstances, circumstanceColumns, toCircumstances } from '../attempt-row.ts';
import { channels } from '../event.ts';
import type { HandOver, Place, StoredEvent } from '../hand-over.ts';
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
 *
 * An event with a place in the relay of this process is queued as claimed ($12), and nobody is notified. The rows of the
 * answer that are asked to ($14) tell about their accounts what the first attempts need.
 */
const receiveEvents = {
  name: 'receive_events',
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::json[], $7::text[],
                           $8::integer[], $9::integer[], $10::uuid[], $12::uuid[], $13::boolean[], $14::boolean[], $16::text[], $17::text[], $18::text[])
        as t (id, account_id, event_type, external_id, received_at, headers, content_type, body_begin, body_bytes, dedup_key, token, direct, tells,
              provider, account_slug, app_key)
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
      insert into event_payloads (event_id, headers, content_type, body)
      select id, headers, content_type, substring($11::bytea from body_begin for body_bytes) from accepted
    ), queued as (
      insert into event_queue (event_id, account_id, generation, lane, direct, claim_token, claimed_until)
      select id, account_id, 0, ${lanes.firstAttempt}, direct, token, case when token is not null then now() + make_interval(secs => $15) end
      from accepted
    ), told as materialized (
      select pg_notify('${channels.queue}', account_id::text) from (select distinct account_id from accepted where token is null) w
    )
    select i.id, l.id is not null as live, c.id is not null as accepted, (select count(*) from told) as told, i.tells, ${circumstanceColumns}
    from input i left join live l on l.id = i.id left join accepted c on c.id = i.id
      left join accounts a on i.tells and a.id = i.account_id`,
};

interface Row extends CircumstanceRow {
  id: string;
  live: boolean;
  accepted: boolean;
  tells: boolean;
}

/** Rows per statement. Larger batches are not faster, and a slow commit would delay more requests. */
const maxBatch = 256;
/** Batches at the same time: one commits while the next one is sent. */
const maxRunning = 1;
/**
 * Waiting webhooks: about 2 s at full speed. With more, PostgreSQL is too slow, and the provider should retry later.
 */
const maxWaiting = 10_000;

/**
 * The bodies of a batch are copied into one buffer, which the driver sends as it is (an array of bytea would be sent as
 * hexadecimal text). `maxWaiting` bounds the memory while the database does not answer.
 */
export const bodyBytes = {
  of: (event: { body: Uint8Array }) => event.body.length,
  maxBatch: 8 * 1024 * 1024,
  maxWaiting: 128 * 1024 * 1024,
};

/** An event that is being stored, and its place in the relay of this process if it has one. */
interface Arriving {
  event: ReceivedEvent;
  place: Place | null;
}

/** Stores verified webhooks. Webhooks that arrive at the same time share one commit. */
export class EventReceiver {
  readonly #database: Database;
  readonly #handOver: () => HandOver | null;
  readonly #batcher: Batcher<ReceivedEvent, Receipt>;

  /**
   * @param handOver the relay of this process, which delivers the stored events at once; null when there is none at this
   *   moment, so that the events wait in the queue.
   */
  constructor(database: Database, handOver: () => HandOver | null = () => null) {
    this.#database = database;
    this.#handOver = handOver;
    this.#batcher = new Batcher<ReceivedEvent, Receipt>((events) => this.#receive(events), {
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

  async #receive(events: ReceivedEvent[]): Promise<Receipt[]> {
    const handOver = this.#handOver();
    await handOver?.room(events.map(({ accountId }) => accountId));
    const arriving = events.map((event) => ({ event, place: handOver?.reserve(placeFor(event)) ?? null }));
    try {
      return await this.#store(arriving, handOver);
    } catch (error) {
      for (const { place } of arriving) place?.abandon();
      throw error;
    }
  }

  async #store(arriving: Arriving[], handOver: HandOver | null, tries = 3): Promise<Receipt[]> {
    try {
      return await this.#insert(arriving, handOver);
    } catch (error) {
      const failure = databaseFailure(error);
      switch (failure) {
        case 'no_partition':
        case 'retry':
          if (tries === 0) return failed(arriving, failure);
          if (failure === 'no_partition') await this.#makePartitions(arriving.map(({ event }) => event));
          return this.#store(arriving, handOver, tries - 1);
        case 'bad_data':
          // One row that PostgreSQL refuses must not fail the others, so each row is stored separately.
          if (arriving.length === 1) return failed(arriving, failure);
          return (await Promise.all(arriving.map((one) => this.#store([one], handOver)))).flat();
        case 'unavailable':
          return failed(arriving, failure);
        default:
          return failure satisfies never;
      }
    }
  }

  async #insert(arriving: Arriving[], handOver: HandOver | null): Promise<Receipt[]> {
    const rows = await this.#database.query<Row>(receiveEvents, columns(arriving, handOver));
    const found = new Map(rows.map((row) => [row.id, row]));
    const circumstances = new Map(rows.flatMap((row) => (row.tells ? [[row.account_id, toCircumstances(row)]] : [])));
    return arriving.map(({ event, place }): Receipt => {
      const row = found.get(event.id);
      const known = circumstances.get(event.accountId);
      if (!row?.accepted) place?.cancel();
      else if (!place) handOver?.queued(event.accountId);
      else if (known) place.take(toStoredEvent(event, known, place.direct ? place.token : null));
      else place.abandon();
      if (!row) return { kind: 'failed', failure: 'unavailable' };
      return { kind: !row.live ? 'refused' : row.accepted ? 'stored' : 'duplicate' };
    });
  }

  /** Creates the partitions of these events' days only. If that fails, the next insert fails again. */
  async #makePartitions(events: ReceivedEvent[]): Promise<void> {
    const days = new Map(events.map((e) => [e.receivedAt.toISOString().slice(0, 10), e.receivedAt]));
    for (const day of days.values()) await ensurePartitions(this.#database, day, 1).catch(() => undefined);
  }
}

const placeFor = ({ id, accountId, body }: ReceivedEvent) => ({ id, accountId, bytes: body.length });

/** The statement may have been committed although its answer was lost. */
function failed(arriving: Arriving[], failure: DatabaseFailure): Receipt[] {
  for (const { place } of arriving) place?.abandon();
  return arriving.map(() => ({ kind: 'failed', failure }));
}

function columns(arriving: Arriving[], handOver: HandOver | null): unknown[] {
  const events = arriving.map(({ event }) => event);
  let end = 1;
  const begins = events.map(({ body }) => {
    const begin = end;
    end += body.length;
    return begin;
  });
  const told = new Set<string>();
  const tells = arriving.map(({ event, place }) => {
    if (!place || told.has(event.accountId)) return false;
    told.add(event.accountId);
    return true;
  });
  return [
    events.map((e) => e.id),
    events.map((e) => e.accountId),
    events.map((e) => e.eventType),
    events.map((e) => e.externalId),
    events.map((e) => e.receivedAt),
    events.map((e) => e.headers),
    events.map((e) => e.contentType),
    begins,
    events.map((e) => e.body.length),
    events.map((e) => e.dedupKey),
    Buffer.concat(events.map((e) => e.body)),
    arriving.map(({ place }) => place?.token ?? null),
    arriving.map(({ place }) => place?.direct ?? false),
    tells,
    handOver?.leaseS ?? 0,
    events.map((e) => e.provider),
    events.map((e) => e.accountSlug),
    events.map((e) => e.appKey),
  ];
}

/** The event as the first attempt needs it, without reading it again. */
function toStoredEvent(event: ReceivedEvent, circumstances: Circumstances, directToken: string | null): StoredEvent {
  return {
    ...circumstances,
    eventId: event.id,
    generation: 0,
    generationAt: event.receivedAt,
    status: 'received',
    deliveryStatus: 'pending',
    nextAttemptAt: null,
    scheduledAttempts: 0,
    heldSince: null,
    recordedOutcome: null,
    relayAttempting: directToken !== null,
    claimToken: directToken,
    provider: event.provider,
    accountSlug: event.accountSlug,
    appKey: event.appKey,
    eventType: event.eventType,
    externalId: event.externalId,
    headers: JSON.parse(event.headers),
    contentType: event.contentType,
    body: event.body,
  };
}
