import type { AttemptRecord } from '../history-schemas.ts';
import type { EventActionRecord, PauseRecord } from './timeline-schemas.ts';

/** More than attempts, because a script may pause each hour, and most pauses may be from after the end of the event. */
const mostPauses = 1_000;

/**
 * The column `pauses` of an event, for a statement in which `events` has the alias `e`: those that were in force since
 * its receipt. Of more than 1,000, those that have ended last or are in force.
 */
export const pausesColumn = `(
      select coalesce(json_agg(d order by d.since), '[]') from (
        select since, ended_at as until, case when account_id is null then 'everything' when consumer_id is null then 'account' else 'consumer' end as paused,
          reason, paused_by, ended_by as resumed_by
        from pauses p where (p.account_id is null or p.account_id = e.account_id)
          and (p.consumer_id is null or p.consumer_id = coalesce(e.consumer_id, e.account_id))
          and (p.ended_at is null or p.ended_at > e.received_at)
        order by p.ended_at desc nulls first limit ${mostPauses}
      ) d
    ) as pauses`;

/** What decides when an event was pending. */
export interface PendingTimes {
  receivedAt: Date;
  backfilledAt: Date | null;
  generation: number;
  /** When this generation began. */
  generationAt: Date;
  isPending: boolean;
  history: readonly AttemptRecord[];
  actions: readonly EventActionRecord[];
}

/** Those of the pauses during which the event was pending: it has waited, or could have had to. */
export function pausesMet(pauses: readonly PauseRecord[], event: PendingTimes): PauseRecord[] {
  if (pauses.length === 0) return [];
  const spans = pendingSpans(event);
  return pauses.filter(({ since, until }) => {
    const [sinceMs, untilMs] = [Date.parse(since), until === null ? Number.POSITIVE_INFINITY : Date.parse(until)];
    return spans.some(({ startMs, endMs }) => sinceMs < endMs && untilMs > startMs);
  });
}

interface Span {
  startMs: number;
  endMs: number;
}

/** When the event was pending, of each generation of which that is known. */
function pendingSpans(event: PendingTimes): Span[] {
  const attempts = Map.groupBy(event.history, ({ generation }) => generation);
  const actions = Map.groupBy(event.actions, ({ generation }) => generation);
  const known = new Set([0, event.generation, ...attempts.keys(), ...actions.keys()]);
  return [...known].flatMap(
    (generation) => pendingSpan(event, generation, attempts.get(generation) ?? [], actions.get(generation) ?? []) ?? [],
  );
}

/**
 * When a generation of the event was pending; null if that is not known, because no attempt of it was made.
 *
 * @param attempts of this generation, as `actions`
 */
function pendingSpan(
  event: PendingTimes,
  generation: number,
  attempts: readonly AttemptRecord[],
  actions: readonly EventActionRecord[],
): Span | null {
  const startMs = startOf(event, generation, attempts, actions);
  if (startMs === null) return null;
  if (generation === event.generation && event.isPending) return { startMs, endMs: Number.POSITIVE_INFINITY };
  const delivered = attempts.find(({ outcome }) => outcome === 'delivered');
  if (delivered) return { startMs, endMs: endOf(delivered) };
  const ended = actions.filter(({ action }) => action === 'ack' || action === 'dead').map(({ at }) => Date.parse(at));
  const scheduled = attempts.filter(({ trigger }) => trigger === 'schedule').map(endOf);
  return { startMs, endMs: Math.max(startMs, ...scheduled, ...ended) };
}

function startOf(
  { generation: current, generationAt, receivedAt, backfilledAt }: PendingTimes,
  generation: number,
  attempts: readonly AttemptRecord[],
  actions: readonly EventActionRecord[],
): number | null {
  if (generation === current) return generationAt.getTime();
  if (generation === 0) return (backfilledAt ?? receivedAt).getTime();
  const replay = actions.find(({ action }) => action === 'replay');
  if (replay) return Date.parse(replay.at);
  const [first] = attempts;
  // Replayed by a duplicate, which is no action of an operator.
  return first ? Date.parse(first.started_at) - (first.waited_ms ?? 0) : null;
}

const endOf = ({ started_at, duration_ms }: AttemptRecord) => Date.parse(started_at) + duration_ms;
