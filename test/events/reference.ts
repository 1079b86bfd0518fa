import type { Database } from '../../src/database/database.ts';
import { type EventRow, eventColumns } from '../../src/events/event.ts';
import { eventState } from '../../src/events/event-state.ts';
import type { EventFilter } from '../../src/events/read.ts';
import { rows } from '../support/stored.ts';

/** Reads all events with the columns of the lists, newest first, for comparison with the lists. */
export async function allEvents(database: Database): Promise<EventRow[]> {
  return database.query<EventRow>({ name: '', text: `select ${eventColumns} from events e order by e.id desc` }, []);
}

const equalities = [
  ...(['app_key', 'provider', 'event_type', 'account_slug', 'external_id'] as const),
  ...(['status', 'delivery_status', 'consumer'] as const),
];

/** The expected result of `listEvents`, computed from all events. */
export function expectedList(all: readonly EventRow[], filter: EventFilter): EventRow[] {
  return all
    .filter(
      (event) =>
        equalities.every((name) => filter[name] === undefined || event[name] === filter[name]) &&
        (filter.state === undefined || eventState(event) === filter.state) &&
        (filter.job === undefined || event.bulk_job_id === filter.job) &&
        (filter.skipped === undefined || (event.skipped_reason !== null) === filter.skipped) &&
        (!filter.since || event.received_at > filter.since) &&
        (!filter.until || event.received_at < filter.until) &&
        (filter.before === undefined || event.id < filter.before),
    )
    .slice(filter.offset, filter.offset + filter.limit);
}

/** The numbers of the statistics, counted from the tables. */
export async function recounted(database: Database) {
  const [counts] = await rows(
    database,
    `select count(*) filter (where rejection_reason is null and skipped_reason is null)::integer as total,
       count(*) filter (where delivery_status = 'pending')::integer as pending,
       count(*) filter (where delivery_status = 'delivered')::integer as delivered,
       count(*) filter (where delivery_status = 'failed')::integer as failed,
       count(*) filter (where delivery_status = 'pending' and attempts > 0)::integer as retrying,
       (select count(*)::integer from delivery_attempts) as attempts
     from events`,
  );
  const byProvider = await rows(
    database,
    `select provider, count(*)::integer as total, count(*) filter (where delivery_status = 'pending')::integer as pending,
       count(*) filter (where delivery_status = 'delivered')::integer as delivered, count(*) filter (where delivery_status = 'failed')::integer as failed
     from events where rejection_reason is null and skipped_reason is null group by provider order by provider`,
  );
  const latencies = await rows(
    database,
    `select ceil(20 * log(greatest(extract(epoch from delivered_at - generation_at)::double precision * 10000, 1)))::integer as bucket, count(*)::integer as n
     from events where delivered_at >= date_trunc('hour', now()) - interval '23 hours' group by 1 order by 1`,
  );
  return { counts, byProvider, latencies };
}
