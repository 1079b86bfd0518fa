import { isCanceled } from '../database/errors.ts';
import type { Sql } from '../database/sql.ts';
import { providers } from '../providers/registry.ts';
import { mostCounted } from './bulk/matching-events.ts';
import type { ListFilters } from './event-filters.ts';
import { idRange } from './id-range.ts';
import { type Matching, matchingOf } from './list.ts';
import type { RejectedCounts } from './rejected-schemas.ts';
import { notCheckable } from './rejection-checks.ts';
import { rejectionSentence } from './rejection-sentence.ts';
import { daysBack, type Window, windowsBack } from './windows.ts';

/** Groups that are answered: more than fit on a page, and few enough for one. */
const mostGroups = 200;
/** How long it counts, while a person waits. */
export const countMs = 3_000;

interface Group {
  accountId: string;
  reason: string;
  count: number;
  lastId: string;
}

/**
 * Counts the kept rejected webhooks that match by account and reason, the newest first: at most 100,000, and for at most
 * about 3 s.
 *
 * @param sql plans each statement for its values, and cancels one that takes longer than `countMs`
 * @param signal ends it before its next statement; its reason is thrown.
 */
export async function countRejected(sql: Sql, filters: ListFilters, signal: AbortSignal): Promise<RejectedCounts> {
  const filter = { ...filters, status: 'rejected' } as const;
  const { groups, counted, complete } = await grouped(sql, filter, signal);
  const largest = groups.sort((a, b) => b.count - a.count || (a.lastId < b.lastId ? 1 : -1)).slice(0, mostGroups);
  const newest = await readNewest(sql, largest);
  return {
    ...{ counted, complete },
    groups: largest.flatMap(({ accountId, reason, count, lastId }) => {
      const event = newest.get(lastId);
      // An event that retention has deleted since.
      if (!event) return [];
      const { notKept = null } = providers.get(event.provider) ?? {};
      return [
        {
          ...{ account_id: accountId, provider: event.provider, account_slug: event.accountSlug, reason },
          ...{ explanation: rejectionSentence(reason, event.detail), count },
          ...{ not_checkable: notKept, not_checkable_explanation: notKept && notCheckable[notKept] },
          ...{ last_received_at: event.receivedAt.toISOString(), last_event_id: lastId },
        },
      ];
    }),
  };
}

async function grouped(sql: Sql, filter: ListFilters, signal: AbortSignal) {
  const matching = await matchingOf(sql, filter);
  const endMs = performance.now() + countMs;
  const found = new Map<string, Group>();
  let counted = 0;
  const answer = (complete: boolean) => ({ groups: [...found.values()], counted, complete });
  for (const day of (await windowsBack(sql, filter)).flatMap(daysBack)) {
    if (performance.now() >= endMs) return answer(false);
    signal.throwIfAborted();
    try {
      for (const group of await countDay(sql, matching, day, mostCounted - counted)) {
        counted += group.count;
        const key = `${group.accountId} ${group.reason}`;
        const known = found.get(key);
        if (known) known.count += group.count;
        else found.set(key, group);
      }
    } catch (error) {
      if (isCanceled(error)) return answer(false);
      throw error;
    }
    if (counted >= mostCounted) return answer(false);
  }
  return answer(true);
}

async function countDay(sql: Sql, { sources, values }: Matching, day: Window, most: number): Promise<Group[]> {
  const [source = ''] = sources;
  const text = `
    select r.account_id as "accountId", r.rejection_reason as reason, count(*)::integer as count, max(r.id::text) as "lastId"
    from (select e.id, e.account_id, e.rejection_reason ${source} order by e.id desc limit $${values.length + 3}) r
    where r.rejection_reason is not null group by 1, 2`;
  return sql.query<Group>({ name: '', text }, [day.low, day.high, ...values, most]);
}

const readNewestOf = {
  name: '',
  text: `
    select id, provider, account_slug as "accountSlug", rejection_detail as detail, received_at as "receivedAt"
    from events where id = any($1::uuid[]) and id between $2 and $3`,
};

interface Newest {
  id: string;
  provider: string;
  accountSlug: string;
  detail: string | null;
  receivedAt: Date;
}

async function readNewest(sql: Sql, groups: readonly Group[]): Promise<Map<string, Newest>> {
  if (groups.length === 0) return new Map();
  const ids = groups.map(({ lastId }) => lastId).sort();
  const rows = await sql.query<Newest>(readNewestOf, [ids, ...idRange(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}
