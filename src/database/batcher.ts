/** Too much waits already; the caller should say so to whoever asked instead of queueing more. */
export class BatcherFull extends Error {
  override name = 'BatcherFull';
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface BatcherOptions<Item> {
  /** Items a batch. */
  maxBatch: number;
  /** Batches at once. */
  maxRunning: number;
  /** Items that may wait before `add` fails with `BatcherFull`; no bound when absent. */
  maxWaiting?: number;
  /** For large items: how large one is, and how much a batch and all that waits may hold, in bytes. */
  bytes?: { of: (item: Item) => number; maxBatch: number; maxWaiting: number };
  /** For what nobody waits for: how long the first item waits for company. */
  lingerMs?: number;
  /** Items of the same key never share a batch (one UPDATE changes a row once). */
  key?: (item: Item) => string;
}

/**
 * Runs many concurrent calls as few statements: what arrives while a batch runs goes into the next one together, so a
 * single call waits for nothing and a crowd shares one round trip and one commit.
 */
export class Batcher<Item, Result> {
  readonly #run: (items: Item[]) => Promise<Result[]>;
  readonly #options: BatcherOptions<Item>;
  #waiting: Waiting<Item, Result>[] = [];
  #waitingBytes = 0;
  #running = 0;
  #scheduled = false;

  /**
   * @param run answers with one result an item, in the same order; when it throws, every call of the batch fails.
   */
  constructor(run: (items: Item[]) => Promise<Result[]>, options: BatcherOptions<Item>) {
    this.#run = run;
    this.#options = options;
  }

  /** @throws BatcherFull when `maxWaiting` items wait; else whatever the batch throws. */
  add(item: Item): Promise<Result> {
    const { maxWaiting = Number.POSITIVE_INFINITY, lingerMs } = this.#options;
    const bytes = this.#bytesOf(item);
    const { maxWaiting: maxWaitingBytes = Number.POSITIVE_INFINITY } = this.#options.bytes ?? {};
    if (this.#waiting.length >= maxWaiting || (this.#waitingBytes > 0 && this.#waitingBytes + bytes > maxWaitingBytes))
      return Promise.reject(new BatcherFull('too many calls wait'));
    this.#waitingBytes += bytes;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      const start = () => {
        this.#scheduled = false;
        this.#start();
      };
      // After the input of this tick is read, so that what came in together is sent together.
      if (lingerMs === undefined) setImmediate(start);
      else setTimeout(start, lingerMs);
    });
  }

  #start(): void {
    while (this.#running < this.#options.maxRunning && this.#waiting.length > 0) {
      const batch = this.#take();
      this.#running++;
      this.#run(batch.map(({ item }) => item))
        .then(
          (results) => {
            batch.forEach((entry, index) => {
              const result = results[index];
              if (result === undefined) entry.reject(new Error('a batch answered with fewer results than items'));
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
