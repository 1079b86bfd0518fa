import { Batcher } from '../database/batcher.ts';
import { retried } from '../database/retried.ts';
import type { Sql } from '../database/sql.ts';
import { type ClaimName, handBackClaims } from '../events/queue.ts';

interface HandBack extends ClaimName {
  /** Seconds after which the event can be claimed again. */
  delayS: number;
}

/** Hands claimed events back to the queue, in batches. */
export class ClaimReturns {
  readonly #batcher: Batcher<HandBack, true>;

  constructor(sql: Sql) {
    this.#batcher = new Batcher(
      async (claims) => {
        for (const [delayS, group] of Map.groupBy(claims, (claim) => claim.delayS))
          await retried(() => handBackClaims(sql, group, delayS));
        return claims.map(() => true);
      },
      { maxBatch: 256, maxRunning: 1 },
    );
  }

  async handBack(claim: HandBack): Promise<void> {
    await this.#batcher.add(claim);
  }
}
