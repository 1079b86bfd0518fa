import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Sql } from '../../database/sql.ts';
import type { Log } from '../../shared/log.ts';
import { Poller } from '../../shared/poller.ts';
import { causeOf, type FailedOutcome } from './cause.ts';
import { type AttemptMade, ConsumerFailures } from './consumer-failures.ts';
import { addIncidentCounts, type Count, type Watched } from './write-counts.ts';

export const defaultFlushMs = 5_000;
/** Between two writes when failures open incidents, so that 200 consumers that fail at once need few statements. */
const shortestFlushMs = 500;
/** Consumers that are remembered: about 10 MB at most. Beyond that, the one without an attempt for longest is forgotten. */
const mostConsumers = 10_000;
/** Successes are compared with the failures of the last minute: they are forgotten after 6 to 12 rounds of 5 s. */
const roundsOfSuccesses = 12;

/**
 * Counts the attempts of each consumer in memory, and writes those of failing consumers every few seconds. A success of a
 * consumer that does not fail costs less than a microsecond and no statement.
 */
export class FailureCounts {
  readonly #sql: Sql;
  readonly #log: Log;
  readonly #onOpening: () => void;
  readonly #poller: Poller;
  readonly #consumers = new LRUCache<string, ConsumerFailures>({
    max: mostConsumers,
    // A forgotten consumer loses its failures in a row, but no counts.
    dispose: (consumer, id, reason) => {
      if (reason === 'evict') this.#unwritten.push(...consumer.rows(this.#watched.failing.has(id)));
    },
  });
  #watched: Watched = { open: new Set<string>(), failing: new Set<string>() };
  readonly #unwritten: Count[] = [];
  #attempted = false;
  #rounds = 0;
  #flushedAtMs = 0;

  /** @param options.onOpening called when failures were written that open an incident */
  constructor(options: {
    sql: Sql;
    log: Log;
    onOpening?: (() => void) | undefined;
    flushMs?: number | undefined;
  }) {
    this.#sql = options.sql;
    this.#log = options.log;
    this.#onOpening = options.onOpening ?? (() => undefined);
    const work = async () => {
      const waitMs = this.#flushedAtMs + shortestFlushMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      await this.#flush();
      return 'idle' as const;
    };
    this.#poller = new Poller({
      name: 'failures of consumers',
      idleMs: options.flushMs ?? defaultFlushMs,
      log: this.#log,
      work,
    });
  }

  /** Counts an attempt that was recorded. */
  attempted(attempt: AttemptMade, outcome: FailedOutcome): void {
    this.#attempted = true;
    const { consumerId } = attempt;
    let consumer = this.#consumers.get(consumerId);
    if (!consumer) {
      consumer = new ConsumerFailures(attempt.accountId, consumerId);
      this.#consumers.set(consumerId, consumer);
    }
    if (attempt.succeeded) consumer.succeeded(attempt.endedMs);
    else if (consumer.failed(attempt, causeOf(outcome)) && !this.#watched.open.has(consumerId)) this.#poller.wake();
  }

  start(): void {
    this.#poller.start();
  }

  /** Stops the loop and writes what is left. */
  async stop(): Promise<void> {
    await this.#poller.stop();
    await this.#flush().catch((err: unknown) => this.#log.warn({ err }, 'last failures of consumers not written'));
  }

  async #flush(): Promise<void> {
    this.#flushedAtMs = performance.now();
    if (!this.#attempted && this.#unwritten.length === 0) return;
    this.#attempted = false;
    this.#rounds += 1;
    // A copy, because the iterator of the cache may begin again when its entries are deleted.
    for (const [id, consumer] of [...this.#consumers]) {
      this.#unwritten.push(...consumer.rows(this.#watched.failing.has(id)));
      if (this.#rounds % roundsOfSuccesses === 0) consumer.forgetSuccesses();
      if (consumer.isQuiet && consumer.idleRounds > roundsOfSuccesses) this.#consumers.delete(id);
    }
    // Without the database, no attempt is recorded either, so this stays small.
    const written = this.#unwritten.slice();
    const watched = await addIncidentCounts(this.#sql, written);
    // Consumers that were forgotten during the write have added theirs at the end.
    this.#unwritten.splice(0, written.length);
    // The statement has not seen what it wrote itself.
    const failed = written.flatMap(({ failed, consumerId }) => (failed > 0 && consumerId !== null ? [consumerId] : []));
    this.#watched = { open: watched.open, failing: watched.failing.union(new Set(failed)) };
    // Successes that came before the consumer was watched are written with the next ones, also if there are none.
    for (const id of this.#watched.failing) this.#attempted ||= this.#consumers.peek(id)?.hasSucceeded === true;
    if (written.some(({ opens }) => opens)) this.#onOpening();
  }
}
