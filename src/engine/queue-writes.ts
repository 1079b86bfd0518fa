import { Batcher } from '../database/batcher.ts';
import { retried } from '../database/retried.ts';
import type { Sql } from '../database/sql.ts';
import { markStartedEvents, type Started } from '../events/transitions/started.ts';
import { readForStart, type Startable } from './startable.ts';

/** Nothing waits for this record, so it lingers for a larger batch: fewer commits leave more capacity to Temporal. */
const markLingerMs = 50;

/** The statements for single events that get their workflow, sent in batches. */
export class QueueWrites {
  readonly #reads: Batcher<string, { event: Startable | null }>;
  readonly #started: Batcher<Started, true>;

  constructor(sql: Sql) {
    this.#reads = new Batcher(
      async (ids) => {
        const found = await readForStart(sql, ids);
        return ids.map((id) => ({ event: found.get(id) ?? null }));
      },
      { maxBatch: 256, maxRunning: 2 },
    );
    this.#started = new Batcher(
      async (started) => {
        await retried(() => markStartedEvents(sql, started));
        return started.map(() => true);
      },
      { maxBatch: 256, maxRunning: 1, lingerMs: markLingerMs, key: ({ eventId }) => eventId },
    );
  }

  async readForStart(eventId: string): Promise<Startable | null> {
    return (await this.#reads.add(eventId)).event;
  }

  async markStarted(started: Started): Promise<void> {
    await this.#started.add(started);
  }
}
