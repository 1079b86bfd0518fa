import type { Sql } from '../database/database.ts';
import { type EventRow, eventColumns, type Trigger } from './event.ts';

export { type EventFilter, listEvents } from './list.ts';

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
