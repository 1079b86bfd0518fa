import type { Sql } from '../database/sql.ts';
import { type EventRow, eventColumns, neverStarted, type Trigger } from './event.ts';

export { type EventFilter, listEvents } from './list.ts';

const readEvent = {
  name: 'read_event',
  // One statement, so that the states and the attempts are of one moment.
  text: `
    select ${eventColumns}, e.started_generation > ${neverStarted} as started, p.headers, p.content_type, p.body,
      coalesce(p.payload_bytes, octet_length(p.body)) as payload_bytes, p.payload_sha256, coalesce(p.headers_truncated, false) as headers_truncated, (
      select coalesce(json_agg(d order by d.started_at, d.generation, d.trigger desc, d.number), '[]') from (
        select number, generation, trigger, started_at, duration_ms, waited_ms, connect_ms, answer_ms, outcome, response_code, response_body, error, url
        from delivery_attempts where event_id = $1
      ) d
    ) as history, (
      select coalesce(json_agg(n order by n.generation, n.ordinal), '[]') from (
        select n.destination_id, n.name, n.destination_type, n.generation, n.status, n.attempts, n.error, n.sent_at, n.ordinal,
          case when n.status = 'pending' then n.due_at end as next_attempt_at,
          case when s.id is not null then json_build_object('id', s.id, 'events', s.events, 'status', s.status, 'error', s.error, 'sent_at', s.sent_at) end as summary
        from notifications n left join notification_summaries s on s.id = n.summary_id where n.event_id = $1
      ) n
    ) as notifications
    from events e join event_payloads p on p.event_id = e.id where e.id = $1`,
};

interface AttemptRecord {
  number: number;
  generation: number;
  trigger: Trigger;
  started_at: Date;
  duration_ms: number;
  waited_ms: number | null;
  connect_ms: number | null;
  answer_ms: number | null;
  outcome: string;
  response_code: number | null;
  response_body: string | null;
  error: string | null;
  url: string | null;
}

/** The notification of one destination about one exhausted generation of the event. */
export interface NotificationRecord {
  destination_id: string;
  /** The destination's name when the notification was created. */
  name: string;
  destination_type: string;
  generation: number;
  status: 'pending' | 'sent' | 'failed' | 'suppressed';
  attempts: number;
  error: string | null;
  /** When the next try of a pending notification is due; null for others. */
  next_attempt_at: Date | null;
  sent_at: Date | null;
  /** The summary that replaced a suppressed notification; null for others, and when the summary was deleted. */
  summary: {
    id: string;
    events: number;
    status: 'pending' | 'sent' | 'failed';
    error: string | null;
    sent_at: Date | null;
  } | null;
}

export interface WholeEvent {
  event: EventRow;
  /** Whether a workflow was ever started for the event. */
  started: boolean;
  headers: [string, string][];
  contentType: string | null;
  /** The whole body, or the beginning of the body of a rejected webhook. */
  body: Buffer;
  /** Bytes of the whole body. */
  payloadBytes: number;
  /** SHA-256 of the whole body; null if `body` is whole, so that it can be computed. */
  payloadSha256: Buffer | null;
  headersTruncated: boolean;
  history: AttemptRecord[];
  notifications: NotificationRecord[];
}

/** The type of a row in the result of `json_agg`, where times are strings. */
type AsJson<T> = T extends Date ? string : T extends object ? { [K in keyof T]: AsJson<T[K]> } : T;

type WholeRow = EventRow & {
  started: boolean;
  headers: [string, string][];
  content_type: string | null;
  body: Buffer;
  payload_bytes: number;
  payload_sha256: Buffer | null;
  headers_truncated: boolean;
  history: AsJson<AttemptRecord>[];
  notifications: AsJson<NotificationRecord>[];
};

const date = (text: string | null) => (text === null ? null : new Date(text));

/** Reads one event with its payload, attempts and notifications; null if it does not exist. */
export async function readWholeEvent(sql: Sql, id: string): Promise<WholeEvent | null> {
  const [row] = await sql.query<WholeRow>(readEvent, [id]);
  if (!row) return null;
  const { started, headers, content_type: contentType, body, history, notifications, ...others } = row;
  const { payload_bytes: payloadBytes, payload_sha256: payloadSha256, headers_truncated, ...event } = others;
  return {
    ...{ event, started, headers, contentType, body, payloadBytes, payloadSha256 },
    headersTruncated: headers_truncated,
    history: history.map((attempt) => ({ ...attempt, started_at: new Date(attempt.started_at) })),
    notifications: notifications.map((one) => ({
      ...one,
      next_attempt_at: date(one.next_attempt_at),
      sent_at: date(one.sent_at),
      summary: one.summary && { ...one.summary, sent_at: date(one.summary.sent_at) },
    })),
  };
}

const readPayloadOf = {
  name: '',
  text: `
    select content_type, body, coalesce(payload_bytes, octet_length(body)) as payload_bytes, payload_sha256
    from event_payloads where event_id = $1`,
};

type PayloadRow = Pick<WholeRow, 'content_type' | 'body' | 'payload_bytes' | 'payload_sha256'>;

/** The stored body of an event, with what is known about the whole body. */
export type Payload = Pick<WholeEvent, 'contentType' | 'body' | 'payloadBytes' | 'payloadSha256'>;

/** Reads the body of one event; null if the event does not exist. */
export async function readPayload(sql: Sql, id: string): Promise<Payload | null> {
  const [row] = await sql.query<PayloadRow>(readPayloadOf, [id]);
  if (!row) return null;
  const { content_type: contentType, body, payload_bytes: payloadBytes, payload_sha256: payloadSha256 } = row;
  return { contentType, body, payloadBytes, payloadSha256 };
}
