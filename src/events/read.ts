import type { Sql } from '../database/database.ts';
import { type DeliveryStatus, type EventRow, type EventStatus, eventColumns, type Trigger } from './event.ts';

export interface EventFilter {
  app_key?: string | undefined;
  provider?: string | undefined;
  event_type?: string | undefined;
  account_slug?: string | undefined;
  external_id?: string | undefined;
  status?: EventStatus | undefined;
  delivery_status?: DeliveryStatus | undefined;
  /** Received after, exclusive. */
  since?: Date | undefined;
  /** Received before, exclusive. */
  until?: Date | undefined;
  /** Events older than this one: the cursor of the next page. */
  before?: string | undefined;
  limit: number;
  offset: number;
}

const equalityFilters = [
  'app_key',
  'provider',
  'event_type',
  'account_slug',
  'external_id',
  'status',
  'delivery_status',
] as const;

/** Events, newest first, without payload and headers. */
export function listEvents(sql: Sql, filter: EventFilter): Promise<EventRow[]> {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const where = (condition: (parameter: string) => string, value: unknown) => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  for (const column of equalityFilters) {
    if (filter[column] !== undefined) where((p) => `e.${column} = ${p}`, filter[column]);
  }
  if (filter.since) where((p) => `e.received_at > ${p}`, filter.since);
  if (filter.until) where((p) => `e.received_at < ${p}`, filter.until);
  if (filter.before !== undefined) where((p) => `e.id < ${p}::uuid`, filter.before);
  values.push(filter.limit, filter.offset);
  const text = `select ${eventColumns} from events e ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
    order by e.id desc limit $${values.length - 1} offset $${values.length}`;
  return sql.query<EventRow>({ name: '', text }, values);
}

const readEvent = {
  name: 'read_event',
  // One statement, so that the states and the attempts are of one moment.
  text: `
    select ${eventColumns}, e.started_generation >= 0 as started, p.headers, p.content_type, p.body, (
      select coalesce(json_agg(d order by d.started_at, d.generation, d.trigger desc, d.number), '[]') from (
        select number, generation, trigger, started_at, duration_ms, outcome, response_code, response_body, error, url
        from delivery_attempts where event_id = $1
      ) d
    ) as history
    from events e join event_payloads p on p.event_id = e.id where e.id = $1`,
};

export interface AttemptRecord {
  number: number;
  generation: number;
  trigger: Trigger;
  started_at: Date;
  duration_ms: number;
  outcome: string;
  response_code: number | null;
  response_body: string | null;
  error: string | null;
  url: string | null;
}

export interface WholeEvent {
  event: EventRow;
  /** A workflow was started for it, some time. */
  started: boolean;
  headers: [string, string][];
  contentType: string | null;
  body: Buffer;
  history: AttemptRecord[];
}

type WholeRow = EventRow & {
  started: boolean;
  headers: [string, string][];
  content_type: string | null;
  body: Buffer;
  history: (Omit<AttemptRecord, 'started_at'> & { started_at: string })[];
};

/** Everything about one event, or null. */
export async function readWholeEvent(sql: Sql, id: string): Promise<WholeEvent | null> {
  const [row] = await sql.query<WholeRow>(readEvent, [id]);
  if (!row) return null;
  const { started, headers, content_type: contentType, body, history, ...event } = row;
  const attempts = history.map((attempt) => ({ ...attempt, started_at: new Date(attempt.started_at) }));
  return { event, started, headers, contentType, body, history: attempts };
}
