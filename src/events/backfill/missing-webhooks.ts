import type { Sql } from '../../database/sql.ts';
import { uuidFloor } from '../../database/uuid-time.ts';
import { idAfter, type Matches, mostCounted, nextOf, type Place, withinDays } from '../bulk/matching-events.ts';
import type { Matching } from '../list.ts';
import { ofRequest } from '../siblings.ts';
import type { BackfillTarget } from './backfill-target.ts';
import { type Met, metConditions } from './met-conditions.ts';

/** Webhooks that one statement finds and whose conditions are evaluated then. Their bodies are read 64 at a time. */
const candidatesABatch = 500;

/** The stored webhooks that a backfill looks at. */
export interface MissingWebhooks extends BackfillTarget {
  since: Date;
  /** The conditions of the consumer and of the order. */
  conditions: readonly (string | null)[];
}

/** Where the walk over webhooks received from `since` on and before `until` begins and ends. */
export function spanOf({ since, until }: { since: Date; until: Date }): { first: string; last: string } {
  const before = uuidFloor(new Date(until.getTime() - 1));
  return { first: uuidFloor(since), last: before.replace('-0000-0000-000000000000', '-ffff-ffff-ffffffffffff') };
}

/** That the events `s` are of the milliseconds of a slice, so that PostgreSQL plans and locks only its partitions. */
const ofSlice = `s.id between (left($1::uuid::text, 13) || '-0000-0000-000000000000')::uuid
        and (left($2::uuid::text, 13) || '-ffff-ffff-ffffffffffff')::uuid`;

/** That an event is of the consumer. The only event of a skipped webhook is of none. */
const ofConsumer = (event: string) =>
  `${event}.skipped_reason is null and ${event}.consumer_id is not distinct from $4`;

// There is no index by account: an index on this table would cost ingestion more than a rare walk costs.
const missing = `from events e where e.id >= $1 and e.id < $2 and e.account_id = $3 and e.request_id is null and e.rejection_reason is null
      and not (${ofConsumer('e')})
      and (select 1 from events s where ${ofRequest('e.id')} and ${ofSlice} and ${ofConsumer('s')} limit 1) is null`;

const matchingOf = ({ accountId, consumerId }: BackfillTarget): Matching => ({
  sources: [missing],
  values: [accountId, storedConsumer({ accountId, consumerId })],
});

/** `events.consumer_id` of a consumer's events: null for `default`. */
export const storedConsumer = ({ accountId, consumerId }: BackfillTarget) =>
  consumerId === accountId ? null : consumerId;

/**
 * The next webhooks for which the consumer has no event and that meet the conditions, oldest first, and where to continue.
 *
 * @param slices as for `nextMatches`
 */
export async function nextMissing(
  { slices, reader }: { slices: Sql; reader: Sql },
  webhooks: MissingWebhooks,
  from: Place,
  limits: { most: number; timeMs: number },
): Promise<Matches & Pick<Met, 'exceeded'>> {
  const { since, conditions } = webhooks;
  const isJudged = conditions.some((condition) => condition !== null);
  const most = isJudged ? candidatesABatch : Math.min(limits.most, candidatesABatch);
  const found = withinDays(
    await nextOf(slices, matchingOf(webhooks), { since }, from, { most, timeMs: limits.timeMs }),
  );
  const { ids, stoppedAt, exceeded } = await metConditions(reader, found.ids, conditions, limits);
  if (stoppedAt === null) return { ...found, ids, exceeded };
  return { ids, place: { ...found.place, next: idAfter(stoppedAt) }, end: false, exceeded };
}

/**
 * Counts these webhooks, for at most about `timeMs`.
 *
 * @param shown how many of the oldest are returned
 * @returns `exact` is false if there may be more.
 */
export async function countMissing(
  readers: { slices: Sql; reader: Sql },
  webhooks: MissingWebhooks,
  from: Place,
  { timeMs, shown }: { timeMs: number; shown: number },
): Promise<{ matched: number; exact: boolean; first: string[] }> {
  const endMs = performance.now() + timeMs;
  const first: string[] = [];
  let matched = 0;
  for (let place = from; ; ) {
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) return { matched, exact: false, first };
    const next = await nextMissing(readers, webhooks, place, { most: mostCounted + 1 - matched, timeMs: leftMs });
    matched += next.ids.length;
    first.push(...next.ids.slice(0, shown - first.length));
    if (matched > mostCounted) return { matched: mostCounted, exact: false, first };
    if (next.end) return { matched, exact: true, first };
    place = next.place;
  }
}
