import { Batcher } from '../database/batcher.ts';
import type { Database } from '../database/database.ts';
import { type DatabaseFailure, databaseFailure } from '../database/errors.ts';
import { ensurePartitions } from '../database/partitions.ts';
import { columnsOf } from '../shared/columns-of.ts';
import { type Metrics, unmeasured } from '../telemetry/metrics/metrics.ts';
import { type AttemptRow, type Circumstances, toCircumstances } from './attempt-row.ts';
import type { HandOver, Place } from './hand-over.ts';
import { type Receipt, type ReceivedEvent, type ReceivedRow, receiveEvents } from './transitions/received.ts';

/** Rows per statement. Larger batches are not faster, and a slow commit would delay more requests. */
const maxBatch = 256;
/** Batches at the same time. With one, the webhooks that arrive during a commit form a larger next batch. */
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
  readonly #metrics: Pick<Metrics, 'batchStored'>;
  readonly #batcher: Batcher<ReceivedEvent, Receipt>;

  /**
   * @param handOver the relay of this process, which delivers the stored events at once; null when there is none at this
   *   moment, so that the events wait in the queue.
   * @param metrics counts the batches; nothing by default.
   */
  constructor(
    database: Database,
    handOver: () => HandOver | null = () => null,
    metrics: Pick<Metrics, 'batchStored'> = unmeasured,
  ) {
    this.#database = database;
    this.#handOver = handOver;
    this.#metrics = metrics;
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
    const rows = await this.#database.query<ReceivedRow>(receiveEvents, columns(arriving));
    this.#metrics.batchStored(arriving.length);
    const found = new Map(rows.map((row) => [row.id, row]));
    const circumstances = new Map(rows.flatMap((row) => (row.tells ? [[row.account_id, toCircumstances(row)]] : [])));
    return arriving.map(({ event, place }): Receipt => {
      const row = found.get(event.id);
      const known = circumstances.get(event.accountId);
      if (!row?.accepted) place?.cancel();
      else if (!place) handOver?.queued(event.accountId);
      else if (known) place.take(toAttemptRow(event, known, place.token));
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

function columns(arriving: Arriving[]): unknown[] {
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
    ...columnsOf(events, 'id', 'accountId', 'eventType', 'externalId', 'receivedAt', 'headers', 'contentType'),
    begins,
    events.map((e) => e.body.length),
    ...columnsOf(events, 'dedupKey'),
    Buffer.concat(events.map((e) => e.body)),
    arriving.map(({ place }) => place?.token ?? null),
    tells,
    ...columnsOf(events, 'provider', 'accountSlug', 'appKey', 'traceparent', 'dedupWindowS'),
  ];
}

/** The event as the first attempt needs it, without reading it again. */
function toAttemptRow(event: ReceivedEvent, circumstances: Circumstances, claimToken: string): AttemptRow {
  const { id: eventId, provider, accountSlug, eventType, externalId, traceparent, contentType, body } = event;
  return {
    ...circumstances,
    ...{ eventId, provider, accountSlug, eventType, externalId, traceparent, contentType, body, claimToken },
    ...{ generation: 0, generationAt: event.receivedAt, status: 'received', deliveryStatus: 'pending' },
    ...{ nextAttemptAt: null, nextNumber: 1, heldSince: null, recordedOutcome: null, relayAttempting: true },
    headers: JSON.parse(event.headers),
    bodyBytes: body.length,
  };
}
