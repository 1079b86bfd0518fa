import { Batcher } from '../database/batcher.ts';
import { databaseFailure } from '../database/errors.ts';
import type { Sql } from '../database/sql.ts';
import { type ClaimName, handBackClaims } from '../events/queue.ts';
import { readForStart, type Startable } from '../events/startable.ts';
import { markStartedEvents, type Started } from '../events/transitions/started.ts';

/** Nothing waits for this record, so it lingers for a larger batch: fewer commits leave more capacity to Temporal. */
const markLingerMs = 50;

interface HandBack extends ClaimName {
  delayS: number;
}

/** The relay's statements for single events, sent in batches. */
export class QueueWrites {
  readonly #reads: Batcher<string, { event: Startable | null }>;
  readonly #started: Batcher<Started, true>;
  readonly #handBacks: Batcher<HandBack, true>;

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
    this.#handBacks = new Batcher(
      async (claims) => {
        for (const [delayS, group] of Map.groupBy(claims, (claim) => claim.delayS))
          await retried(() => handBackClaims(sql, group, delayS));
        return claims.map(() => true);
      },
      { maxBatch: 256, maxRunning: 1 },
    );
  }

  async readForStart(eventId: string): Promise<Startable | null> {
    return (await this.#reads.add(eventId)).event;
  }

  async markStarted(started: Started): Promise<void> {
    await this.#started.add(started);
  }

  async handBack(claim: HandBack): Promise<void> {
    await this.#handBacks.add(claim);
  }
}

/** Retries a statement that failed because of a concurrent transaction (a deadlock). */
async function retried(statement: () => Promise<void>): Promise<void> {
  for (let triesLeft = 2; ; triesLeft--) {
    try {
      return await statement();
    } catch (error) {
      if (triesLeft === 0 || databaseFailure(error) !== 'retry') throw error;
    }
  }
}
