import type { z } from 'zod';
import type { Sql } from '../../database/sql.ts';
import { uuidMs } from '../../database/uuid-time.ts';
import { idRange } from '../id-range.ts';
import { conditionOfState } from '../state-filter.ts';
import { windowsBack } from '../windows.ts';
import type { BulkJob } from './bulk-rows.ts';
import type { jobResults } from './bulk-schemas.ts';

/** What became of the events of a job. */
export type JobResults = z.infer<typeof jobResults>;

/** Events of one result that are counted. More are `exact: false`: an operator who sees 10,000 needs no other number. */
const mostCounted = 10_000;
/** Events of one job that are read: about 50 ms. */
const mostRead = 4 * mostCounted;

// A manual attempt that was requested and is not recorded yet has no result, in any state of the event. Of a dead event, none
// is made: its workflow ends without it.
const countResults = {
  name: '',
  text: `
    select count(*)::integer as read, count(*) filter (where unmade or waiting)::integer as waiting,
      count(*) filter (where not unmade and failing)::integer as failing,
      count(*) filter (where not unmade and exhausted)::integer as exhausted,
      count(*) filter (where not unmade and delivered)::integer as delivered
    from (
      select ${conditionOfState('waiting')} as waiting, ${conditionOfState('retrying')} as failing,
        ${conditionOfState('exhausted')} as exhausted, ${conditionOfState('delivered')} as delivered, $4::boolean and e.manual_attempts > 0 and e.state <> 'dead' and not exists (
        select from delivery_attempts d where d.event_id = e.id and d.generation = e.generation and d.trigger = 'manual' and d.number = e.manual_attempts
      ) as unmade
      from events e where e.id >= $1 and e.id < $2 and e.bulk_job_id = $3 order by e.id desc limit $5
    ) of_job`,
};

type Counted = Omit<JobResults, 'exact'> & { read: number };

/**
 * Counts what became of the events that a job was the last to change or make, the newest ones first.
 *
 * @param ends the first and the last event of the job; none if it has changed no event
 */
export async function resultsOf(
  sql: Sql,
  { id, action }: Pick<BulkJob, 'id' | 'action'>,
  ends: readonly string[],
): Promise<JobResults> {
  const found = { read: 0, delivered: 0, failing: 0, exhausted: 0, waiting: 0 };
  const [low, high] = idRange(ends);
  if (low !== null && high !== null) {
    for (const window of await windowsBack(sql, { since: new Date(uuidMs(low)), before: high })) {
      const most = mostRead + 1 - found.read;
      if (most <= 0) break;
      const [row] = await sql.query<Counted>(countResults, [window.low, window.high, id, action === 'retry', most]);
      for (const name of names) found[name] += row?.[name] ?? 0;
    }
  }
  const { read, delivered, failing, exhausted, waiting } = found;
  return {
    delivered: Math.min(delivered, mostCounted),
    failing: Math.min(failing, mostCounted),
    exhausted: Math.min(exhausted, mostCounted),
    waiting: Math.min(waiting, mostCounted),
    exact: read <= mostRead && Math.max(delivered, failing, exhausted, waiting) <= mostCounted,
  };
}

const names = ['read', 'delivered', 'failing', 'exhausted', 'waiting'] as const;
