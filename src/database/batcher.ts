import type { Span } from '@opentelemetry/api';
import { activeSpan, inBatch } from '../telemetry/tracing/spans.ts';

/** Too many items are waiting. The caller should refuse its request instead of queueing more. */
export class BatcherFull extends Error {
  override name = 'BatcherFull';
}

interface Waiting<Item, Result> {
  item: Item;
  /** The span of the call, for the statements of its batch. */
  span: Span | null;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface BatcherOptions<Item> {
  /** Items per batch. */
  maxBatch: number;
  /** Batches that run at the same time. */
  maxRunning: number;
  /** Items that may wait before `add` fails with `BatcherFull`; no bound when absent. */
  maxWaiting?: number;
  /** Limits for large items, in bytes: the size of an item, and the totals of a batch and of all waiting items. */
  bytes?: { of: (item: Item) => number; maxBatch: number; maxWaiting: number };
  /** How long a batch waits to fill (linger), in ms. */
  lingerMs?: number;
  /** Items of the same key never share a batch, because one UPDATE changes a row only once. */
  key?: (item: Item) => string;
}

/**
 * Combines concurrent calls into few statements. Calls that arrive while a batch runs form the next batch. So a single
 * call does not wait, and many calls share one round trip and one commit. (`dataloader` has no bounds for running batches,
 * waiting calls and bytes.)
 */
export class Batcher<Item, Result> {
  readonly #run: (items: Item[]) => Promise<Result[]>;
  readonly #options: BatcherOptions<Item>;
  #waiting: Waiting<Item, Result>[] = [];
  #waitingBytes = 0;
  #running = 0;
  #scheduled = false;

  /**
   * @param run returns one result per item, in the same order. If it throws, every call of the batch fails.
   */
  constructor(run: (items: Item[]) => Promise<Result[]>, options: BatcherOptions<Item>) {
    this.#run = run;
    this.#options = options;
  }

  /** @throws BatcherFull when `maxWaiting` items or bytes are waiting; otherwise the error of the batch. */
  add(item: Item): Promise<Result> {
    const { maxWaiting = Number.POSITIVE_INFINITY, lingerMs } = this.#options;
    const bytes = this.#bytesOf(item);
    const { maxWaiting: maxWaitingBytes = Number.POSITIVE_INFINITY } = this.#options.bytes ?? {};
    if (this.#waiting.length >= maxWaiting || (this.#waitingBytes > 0 && this.#waitingBytes + bytes > maxWaitingBytes))
      return Promise.reject(new BatcherFull('too many calls wait'));
    this.#waitingBytes += bytes;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, span: activeSpan(), resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      const start = () => {
        this.#scheduled = false;
        this.#start();
      };
      // `setImmediate` runs after all input of this tick is read, so calls that arrived together share a batch.
      if (lingerMs === undefined) setImmediate(start);
      else setTimeout(start, lingerMs);
    });
  }

  #start(): void {
    while (this.#running < this.#options.maxRunning && this.#waiting.length > 0) {
      const batch = this.#take();
      this.#running++;
      inBatch(batch, () => this.#run(batch.map(({ item }) => item)))
        .then(
          (results) => {
            batch.forEach((entry, index) => {
              const result = results[index];
              if (result === undefined) entry.reject(new Error('the batch returned fewer results than items'));
              else entry.resolve(result);
            });
          },
          (error: unknown) => {
            for (const entry of batch) entry.reject(error);
          },
        )
        .finally(() => {
          this.#running--;
          this.#start();
        });
    }
  }

  #bytesOf(item: Item): number {
    return this.#options.bytes?.of(item) ?? 0;
  }

  #take(): Waiting<Item, Result>[] {
    const { maxBatch, key, bytes } = this.#options;
    const batch: Waiting<Item, Result>[] = [];
    const later: Waiting<Item, Result>[] = [];
    const taken = new Set<string>();
    let size = 0;
    for (const entry of this.#waiting) {
      const name = key?.(entry.item);
      const entryBytes = this.#bytesOf(entry.item);
      const fits = batch.length === 0 || size + entryBytes <= (bytes?.maxBatch ?? Number.POSITIVE_INFINITY);
      if (batch.length >= maxBatch || !fits || (name !== undefined && taken.has(name))) {
        later.push(entry);
        continue;
      }
      if (name !== undefined) taken.add(name);
      size += entryBytes;
      batch.push(entry);
    }
    this.#waiting = later;
    this.#waitingBytes -= size;
    return batch;
  }
}
