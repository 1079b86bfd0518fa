import { Batcher } from '../database/batcher.ts';
import { retried } from '../database/retried.ts';
import type { Sql } from '../database/sql.ts';
import { idRange } from '../events/id-range.ts';
import { lanes } from '../events/lanes.ts';
import type { ClaimName } from '../events/queue.ts';
import { columnsOf } from '../shared/columns-of.ts';

const handBack = {
  name: 'hand_back_claims',
  text: `
    with states as materialized (
      select i.*, e.scheduled_attempts, e.next_attempt_at, e.delivery_status is not distinct from 'pending' as pending,
        -- Its workflow makes a retry, or sends the notifications of an exhausted event. Commands have no index by event: they are read once.
        e.delivery_status is distinct from 'pending' and (
          e.id in (select c.event_id from event_commands c where c.kind = 'retry') or e.delivery_status = 'failed' and (
            select n.event_id from notifications n
            where n.event_id = e.id and n.event_id between $5 and $6 and n.generation = e.generation and n.status = 'pending' limit 1
          ) is not null
        ) as awaited
      from unnest($1::uuid[], $2::integer[], $3::uuid[]) as i (event_id, generation, claim_token)
      join events e on e.id = i.event_id and e.id between $5 and $6
    )
    update event_queue q set claimed_until = now() + make_interval(secs => $4), claim_token = null,
      direct = q.direct and s.pending and s.next_attempt_at is null,
      -- While Temporal is down, each start is tried again and again. The wait for the workflow counts from the first try.
      lane_since = case when not q.direct and (q.lane = ${lanes.settledStart} or q.lane = ${lanes.pendingStart} and (s.pending or s.awaited)) then q.lane_since
                        else now() end,
      lane = case when not (s.pending or q.lane = ${lanes.pendingStart} and s.awaited) then ${lanes.settledStart}
                  when q.lane = ${lanes.pendingStart} or s.scheduled_attempts > 0 or s.next_attempt_at is not null then ${lanes.pendingStart}
                  else ${lanes.firstAttempt} end
    from states s
    where q.event_id = s.event_id and q.generation = s.generation and q.claim_token = s.claim_token`,
};

/**
 * Releases claims and sets the lane by each event's state. The events can be claimed again after `delayS` seconds. An
 * event that was claimed for the start of its workflow keeps waiting for it: the workflow may run although the answer of
 * Temporal was lost, and makes the attempts. One whose delivery has ended waits with the settled ones, unless it was to be
 * started soon for a retry or for notifications.
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
