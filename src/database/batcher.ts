/** Too much waits already; the caller should say so to whoever asked instead of queueing more. */
export class BatcherFull extends Error {
  override name = 'BatcherFull';
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Runs many concurrent calls as few statements: what arrives while a batch runs goes into the next one together, so a
 * single call waits for nothing and a crowd shares one round trip and one commit.
 */
export class Batcher<Item, Result> {
  readonly #run: (items: Item[]) => Promise<Result[]>;
  readonly #options: { maxBatch: number; maxRunning: number; maxWaiting: number; key?: (item: Item) => string };
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  #scheduled = false;

  /**
   * @param run answers with one result an item, in the same order; when it throws, every call of the batch fails.
   * @param options `maxBatch` items a batch, `maxRunning` batches at once, `maxWaiting` items before `BatcherFull`;
   *   items of the same `key` never share a batch (one UPDATE changes a row once).
   */
  constructor(
    run: (items: Item[]) => Promise<Result[]>,
    options: { maxBatch: number; maxRunning: number; maxWaiting?: number; key?: (item: Item) => string },
  ) {
    this.#run = run;
    this.#options = { maxWaiting: Number.POSITIVE_INFINITY, ...options };
  }

  /** @throws BatcherFull when `maxWaiting` items wait; else whatever the batch throws. */
  add(item: Item): Promise<Result> {
    if (this.#waiting.length >= this.#options.maxWaiting) return Promise.reject(new BatcherFull('too many calls wait'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      // After the input of this tick is read, so that what came in together is sent together.
      setImmediate(() => {
        this.#scheduled = false;
        this.#start();
      });
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

  #take(): Waiting<Item, Result>[] {
    const { maxBatch, key } = this.#options;
    if (!key) return this.#waiting.splice(0, maxBatch);
    const batch: Waiting<Item, Result>[] = [];
    const later: Waiting<Item, Result>[] = [];
    const taken = new Set<string>();
    for (const entry of this.#waiting) {
      const name = key(entry.item);
      if (batch.length >= maxBatch || taken.has(name)) later.push(entry);
      else {
        taken.add(name);
        batch.push(entry);
      }
    }
    this.#waiting = later;
    return batch;
  }
}
