import type { Database } from '../../database/database.ts';
import { isCanceled } from '../../database/errors.ts';
import type { Sql } from '../../database/sql.ts';
import { inTransaction, sqlOfClient } from '../../database/transaction.ts';
import { mostCounted } from '../bulk/matching-events.ts';
import type { ListFilters } from '../event-filters.ts';
import { type Matching, matchingOf } from '../list.ts';
import { daysBack, type Window, windowsBack } from '../windows.ts';
import { type Bar, barsOf, finestStepMs } from './bars.ts';

/** A reader that waits longer has gone on; what was counted until then is shown as "at least". */
const longestMs = 3_000;

export interface EventCount {
  count: number;
  /** Whether these are all events; false: there are at least as many. */
  exact: boolean;
  from: Date;
  to: Date;
  stepMs: number;
  bars: Bar[];
}

/**
 * Counts the events of a list, newest first, and when they were received, until a limit is reached. What was counted by then is
 * an answer, too: the newest events, and the bars of their time.
 *
 * @param signal ends it before its next statement; its reason is thrown.
 */
export async function countEvents(
  { readers }: Pick<Database, 'readers'>,
  filter: ListFilters,
  signal: AbortSignal,
): Promise<EventCount> {
  const nowMs = Date.now();
  const endMs = performance.now() + longestMs;
  const stepMs = finestStepMs(filter, nowMs);
  const counted: Bar[] = [];
  let count = 0;
  let exact = true;
  await inTransaction(readers, async (client) => {
    const sql = sqlOfClient(client);
    const matching = await matchingOf(sql, filter);
    for (const day of (await windowsBack(sql, filter)).flatMap(daysBack)) {
      signal.throwIfAborted();
      const bars = await countDay(sql, matching, day, {
        stepMs,
        most: mostCounted + 1 - count,
        leftMs: endMs - performance.now(),
      });
      if (bars === 'too_slow') {
        exact = false;
        return;
      }
      counted.push(...bars);
      count += bars.reduce((sum, { events }) => sum + events, 0);
      if (count > mostCounted) {
        exact = false;
        return;
      }
    }
  });
  return { count: Math.min(count, mostCounted), exact, ...barsOf(counted, { ...filter, nowMs, finestMs: stepMs }) };
}

interface Row {
  at: Date;
  events: number;
  failed: number;
}

/** Counts the newest events of a day, by steps of time. */
async function countDay(
  sql: Sql,
  { sources, values }: Matching,
  { low, high }: Window,
  { stepMs, most, leftMs }: { stepMs: number; most: number; leftMs: number },
): Promise<Bar[] | 'too_slow'> {
  if (leftMs <= 0) return 'too_slow';
  const [limit, step] = [`$${values.length + 3}`, `$${values.length + 4}`];
  const failed = `(e.retries is not null or e.undelivered is true or e.state in ('rejected', 'dead', 'failed'))`;
  const each = sources.map(
    (source) => `(select e.id, e.received_at, ${failed} as failed ${source} order by e.id desc limit ${limit})`,
  );
  const text = `
    select date_bin(make_interval(secs => ${step}::double precision), received_at, timestamptz '1970-01-01 00:00:00+00') as at,
      count(*)::integer as events, (count(*) filter (where failed))::integer as failed
    from (select * from (${each.join(' union ')}) u order by id desc limit ${limit}) e group by 1`;
  try {
    await sql.query({ name: '', text: `set local statement_timeout = ${Math.max(1, Math.ceil(leftMs))}` }, []);
    const rows = await sql.query<Row>({ name: '', text }, [low, high, ...values, most, stepMs / 1_000]);
    return rows.map(({ at, events, failed }) => ({ atMs: at.getTime(), events, failed }));
  } catch (error) {
    if (isCanceled(error)) return 'too_slow';
    throw error;
  }
}
