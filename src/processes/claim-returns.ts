import { Batcher } from '../database/batcher.ts';
import { retried } from '../database/retried.ts';
import type { Sql } from '../database/sql.ts';
import { idRange } from '../events/id-range.ts';
import type { ClaimName } from '../events/queue.ts';
import { columnsOf } from '../shared/columns-of.ts';

const handBack = { name: 'hand_back_claims', text: 'select hand_back_claims($1, $2, $3, $4, $5, $6)' };

/**
 * Releases claims and sets the lane by each event's state. The events can be claimed again after `delayS` seconds. An
 * event that was claimed for the start of its workflow keeps waiting for it: the workflow may run although the answer of
 * Temporal was lost, and makes the attempts. One whose delivery has ended waits with the settled ones, unless it was to be
 * started soon for a retry or for notifications.
 *
 * The statement: migrations/functions/hand_back_claims.sql.
 */
export async function handBackClaims(sql: Sql, claims: ClaimName[], delayS: number): Promise<void> {
  await sql.query(handBack, [
    ...columnsOf(claims, 'eventId', 'generation', 'token'),
    delayS,
    ...idRange(claims.map((c) => c.eventId)),
  ]);
}

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
