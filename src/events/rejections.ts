import { Batcher } from '../database/batcher.ts';
import type { Database } from '../database/database.ts';
import { databaseFailure } from '../database/errors.ts';
import { ensurePartitions } from '../database/partitions.ts';
import { columnsOf } from '../shared/columns-of.ts';
import type { Log } from '../shared/log.ts';
import { bodyBytes } from './event-receiver.ts';
import { RejectionGate } from './rejection-gate.ts';
import type { RejectionLimits } from './rejection-limits.ts';
import type { ReceivedEvent } from './transitions/received.ts';
import { type Recorded, recordRejections } from './transitions/rejected.ts';

/** A webhook that failed verification. Its body and headers may be truncated. */
export type RejectedEvent = Omit<ReceivedEvent, 'dedupKey' | 'dedupWindowS' | 'traceparent'> & {
  reason: string;
  /** The reason as a sentence with the numbers of this webhook; null: the reason says everything. */
  detail: string | null;
  /** Bytes of the whole body. */
  payloadBytes: number;
  /** SHA-256 of the whole body. */
  payloadSha256: Uint8Array;
  /** Whether headers were left out. */
  headersTruncated: boolean;
};

/** A rejection to record; one whose `event` is null is only counted. */
type Rejection = { accountId: string; event: RejectedEvent | null };

/** Records webhooks that failed verification as `rejected` events, which are never deduplicated or delivered. */
export class RejectionRecorder {
  readonly #batcher: Batcher<Rejection, true>;
  readonly #gate: RejectionGate;
  readonly #now: () => number;

  constructor(options: { database: Database; limits: RejectionLimits; log: Pick<Log, 'warn'>; now?: () => number }) {
    const { database, limits, log, now = Date.now } = options;
    this.#now = now;
    this.#gate = new RejectionGate({ limits, log, now });
    this.#batcher = new Batcher<Rejection, true>((rejections) => this.#store(database, limits, rejections), {
      maxBatch: 256,
      maxRunning: 1,
      maxWaiting: 5_000,
      bytes: { ...bodyBytes, of: ({ event }) => event?.body.length ?? 0 },
    });
  }

  /**
   * Records one rejected webhook as an event, or only counts it if a limit is reached. Resolves after the commit. A
   * value that PostgreSQL refuses is dropped without an error. Throws the database's errors while it is unavailable.
   *
   * @param describe creates the event; not called when a limit is known to be reached.
   */
  async record(accountId: string, describe: () => RejectedEvent): Promise<void> {
    await this.#batcher.add({ accountId, event: this.#gate.isClosed(accountId) ? null : describe() });
  }

  async #store(database: Database, limits: RejectionLimits, rejections: Rejection[], tries = 2): Promise<true[]> {
    const done = rejections.map((): true => true);
    const events = rejections.flatMap(({ event }) => event ?? []);
    const askedAtMs = this.#now();
    try {
      const [recorded] = await database.query<Recorded>(recordRejections, [
        ...columnsOf(events, 'id', 'accountId', 'provider', 'accountSlug', 'appKey', 'eventType', 'externalId'),
        ...columnsOf(events, 'receivedAt', 'headers', 'contentType', 'body', 'reason'),
        ...columnsOf(events, 'payloadBytes', 'payloadSha256', 'headersTruncated', 'detail'),
        ...columnsOf(rejections, 'accountId'),
        limits.accountDailyBytes,
        limits.dailyBytes,
      ]);
      if (recorded) this.#gate.learn(recorded, askedAtMs);
      return done;
    } catch (error) {
      const failure = databaseFailure(error);
      if (failure === 'bad_data') {
        // One row that PostgreSQL refuses must not fail the others. The bad row itself cannot be stored.
        if (rejections.length > 1)
          await Promise.all(rejections.map((one) => this.#store(database, limits, [one], tries)));
        return done;
      }
      if (tries === 0 || failure === 'unavailable') throw error;
      if (failure === 'no_partition') await ensurePartitions(database, events[0]?.receivedAt ?? new Date(), 1);
      return this.#store(database, limits, rejections, tries - 1);
    }
  }
}
