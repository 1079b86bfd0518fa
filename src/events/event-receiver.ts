import { Batcher } from '../database/batcher.ts';
import type { Database } from '../database/database.ts';
import { type DatabaseFailure, databaseFailure } from '../database/errors.ts';
import { ensurePartitions } from '../database/partitions.ts';
import { type Metrics, unmeasured } from '../telemetry/metrics/metrics.ts';
import { type AttemptRow, type Circumstances, toCircumstances } from './attempt-row.ts';
import type { HandOver } from './hand-over.ts';
import { type Arriving, columns, type Delivery } from './received-columns.ts';
import {
  type Receipt,
  type ReceivedRow,
  type ReceivedWebhook,
  receiveEvents,
  receiveEventsWithSiblings,
} from './transitions/received.ts';

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

/** Stores verified webhooks. Webhooks that arrive at the same time share one commit. */
export class EventReceiver {
  readonly #database: Database;
  readonly #handOver: () => HandOver | null;
  readonly #metrics: Pick<Metrics, 'batchStored'>;
  readonly #batcher: Batcher<ReceivedWebhook, Receipt>;

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
    this.#batcher = new Batcher<ReceivedWebhook, Receipt>((webhooks) => this.#receive(webhooks), {
      maxBatch,
      maxRunning,
      maxWaiting,
      bytes: bodyBytes,
      key: (webhook) => webhook.dedupKey ?? webhook.id,
    });
  }

  /**
   * Stores one webhook. Resolves after the commit.
   * @throws BatcherFull when too many webhooks are already waiting.
   */
  receive(webhook: ReceivedWebhook): Promise<Receipt> {
    return this.#batcher.add(webhook);
  }

  async #receive(webhooks: ReceivedWebhook[]): Promise<Receipt[]> {
    const handOver = this.#handOver();
    await handOver?.room(webhooks.flatMap(ownersOf));
    const arriving = webhooks.map((webhook) => ({ webhook, deliveries: deliveriesOf(webhook, handOver) }));
    try {
      return await this.#store(arriving, handOver);
    } catch (error) {
      abandon(arriving);
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
          if (failure === 'no_partition') await this.#makePartitions(arriving.map(({ webhook }) => webhook));
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
    const { values, ofSiblings } = columns(arriving);
    const rows = await (ofSiblings === null
      ? this.#database.query<ReceivedRow>(receiveEvents, values)
      : this.#database.query<ReceivedRow>(receiveEventsWithSiblings, [...values, ...ofSiblings]));
    this.#metrics.batchStored(arriving.length);
    const found = new Map(rows.map((row) => [row.id, row]));
    const circumstances = new Map(
      rows.filter(({ tells }) => tells).map((row) => [row.consumer?.id ?? row.account_id, toCircumstances(row)]),
    );
    return arriving.map(({ webhook, deliveries }): Receipt => {
      const row = found.get(webhook.id);
      for (const { id, consumerId, place } of deliveries) {
        const known = circumstances.get(consumerId ?? webhook.accountId);
        if (!row?.accepted) place?.cancel();
        else if (!place) handOver?.queued(consumerId ?? webhook.accountId);
        else if (known) place.take(toAttemptRow(webhook, id, known, place.token));
        else place.abandon();
      }
      if (!row) return { kind: 'failed', failure: 'unavailable' };
      return { kind: !row.live ? 'refused' : row.accepted ? 'stored' : 'duplicate' };
    });
  }

  /** Creates the partitions of these events' days only. If that fails, the next insert fails again. */
  async #makePartitions(events: ReceivedWebhook[]): Promise<void> {
    const days = new Map(events.map((e) => [e.receivedAt.toISOString().slice(0, 10), e.receivedAt]));
    for (const day of days.values()) await ensurePartitions(this.#database, day, 1).catch(() => undefined);
  }
}

/** The consumers of a webhook's events, by their ids; for `default`, that of the account. */
const ownersOf = ({ accountId, consumerId, siblings, skippedReason }: ReceivedWebhook) =>
  skippedReason === null
    ? [consumerId, ...siblings.map((sibling) => sibling.consumerId)].map((id) => id ?? accountId)
    : [];

function deliveriesOf(webhook: ReceivedWebhook, handOver: HandOver | null): Delivery[] {
  const { id, accountId, consumerId, siblings, skippedReason, body } = webhook;
  if (skippedReason !== null) return [];
  return [{ id, consumerId }, ...siblings].map((event) => {
    const asked = { id: event.id, accountId, consumerId: event.consumerId ?? accountId, bytes: body.length };
    return { ...event, place: handOver?.reserve(asked) ?? null };
  });
}

function abandon(arriving: Arriving[]): void {
  for (const { deliveries } of arriving) for (const { place } of deliveries) place?.abandon();
}

/** The statement may have been committed although its answer was lost. */
function failed(arriving: Arriving[], failure: DatabaseFailure): Receipt[] {
  abandon(arriving);
  return arriving.map(() => ({ kind: 'failed', failure }));
}

/** An event of a webhook as its first attempt needs it, without reading it again. */
function toAttemptRow(
  webhook: ReceivedWebhook,
  eventId: string,
  circumstances: Circumstances,
  claimToken: string,
): AttemptRow {
  const { id: requestId, provider, accountSlug, eventType, externalId, traceparent, contentType, body } = webhook;
  return {
    ...circumstances,
    ...{ eventId, requestId, provider, accountSlug, eventType, externalId, traceparent, contentType, body, claimToken },
    ...{ generation: 0, generationAt: webhook.receivedAt, status: 'received', deliveryStatus: 'pending' },
    ...{ nextAttemptAt: null, nextNumber: 1, heldSince: null, recordedOutcome: null, relayAttempting: true },
    headers: JSON.parse(webhook.headers),
    bodyBytes: body.length,
    backfilled: false,
  };
}
