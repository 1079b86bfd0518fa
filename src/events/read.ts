import type { Sql } from '../database/sql.ts';
import { type EventRow, eventColumns, neverStarted, stateColumns } from './event.ts';
import type { StateRow } from './event-view.ts';
import type { AttemptRecord, NotificationRecord } from './history-schemas.ts';
import { idRange } from './id-range.ts';
import { payloadOfEvent } from './siblings.ts';
import { actionsColumn } from './timeline/event-actions.ts';
import { mostOfEach } from './timeline/most-of-each.ts';
import { pausesColumn, pausesMet } from './timeline/pauses-met.ts';
import type { EventActionRecord, PauseRecord } from './timeline/timeline-schemas.ts';

export { type EventFilter, listEvents } from './list.ts';

/** The columns of `Payload`, for a statement in which `event_payloads` has the alias `p`. */
const payloadColumns = `p.content_type as "contentType", p.body, coalesce(p.payload_bytes, octet_length(p.body)) as "payloadBytes",
      p.payload_sha256 as "payloadSha256"`;

const readEvent = {
  name: 'read_event',
  // One statement, so that the states and the attempts are of one moment. $2 and $3 are the range of the id, in which
  // its payload and its siblings are. An event that has waited for the end of a pause counts as not started, but keeps the
  // id of its run (transitions/queued-to-wait.ts).
  text: `
    select ${eventColumns}, e.started_generation > ${neverStarted} or e.run_id is not null as started, e.generation_at as "generationAt", p.headers, p.unmatched, ${payloadColumns},
      coalesce(p.headers_truncated, false) as "headersTruncated", (
      select coalesce(json_agg(d order by d.started_at, d.generation, d.trigger desc, d.number), '[]') from (
        select number, generation, trigger, started_at, duration_ms, waited_ms, connect_ms, answer_ms, outcome, response_code, request_headers, response_headers, response_body, error, url
        from delivery_attempts where event_id = $1 order by started_at desc, generation desc, trigger, number desc limit ${mostOfEach}
      ) d
    ) as history, (
      select coalesce(json_agg(n order by n.generation, n.ordinal), '[]') from (
        select n.destination_id, n.name, n.destination_type, n.generation, n.status, n.attempts, n.error, n.sent_at, n.ordinal,
          case when n.status = 'pending' then n.due_at end as next_attempt_at,
          case when s.id is not null then json_build_object('id', s.id, 'events', s.events, 'status', s.status, 'error', s.error, 'sent_at', s.sent_at) end as summary
        from notifications n left join notification_summaries s on s.id = n.summary_id where n.event_id = $1
        order by n.generation desc, n.ordinal desc limit ${mostOfEach}
      ) n
    ) as notifications, (
      select coalesce(json_agg(s order by s.id), '[]') from (
        select s.id, coalesce((select c.name from consumers c where c.id = s.consumer_id), 'default') as consumer, s.status, s.delivery_status, ${stateColumns('s')}
        from events s where s.id between $2 and $3 and coalesce(s.request_id, s.id) = coalesce(e.request_id, e.id) and s.id <> e.id
      ) s
    ) as siblings, (
      select json_build_object('event_id', c.event_id, 'checked_at', c.checked_at) from rejection_checks c where c.rejected_event_id = e.id
    ) as checked, (
      select c.rejected_event_id from rejection_checks c where c.made and c.event_id = coalesce(e.request_id, e.id)
    ) as "rejectedEventId", ${actionsColumn}, ${pausesColumn}
    from events e join event_payloads p on ${payloadOfEvent} where e.id = $1`,
};

/** Another event of the same webhook. */
export type SiblingRow = StateRow & Pick<EventRow, 'id' | 'consumer'>;

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
  /** The other events of the same webhook. */
  siblings: SiblingRow[];
  /** What a check of the rejected webhook has found; null: none has found an event. */
  checked: { event_id: string; checked_at: string } | null;
  /** The rejected webhook of which a check has made the event; null: it was received so. */
  rejectedEventId: string | null;
  /** Names of consumers whose condition the webhook did not meet; null: there are none. */
  unmatched: string[] | null;
  history: AttemptRecord[];
  notifications: NotificationRecord[];
  /** What operators did with it, at most the newest 200, oldest first. */
  actions: EventActionRecord[];
  /** The pauses during which it was pending, oldest first. */
  pauses: PauseRecord[];
}

type WholeRow = EventRow &
  Omit<WholeEvent, 'event' | 'notifications'> & {
    generationAt: Date;
    notifications: (NotificationRecord & { ordinal: number })[];
  };

/** A time as `json_agg` writes it, as the API shows it. */
const iso = (text: string) => new Date(text).toISOString();
const isoOrNull = (text: string | null) => text && iso(text);

/** Reads one event with its payload, and the newest of its attempts and notifications; null if it does not exist. */
export async function readWholeEvent(sql: Sql, id: string): Promise<WholeEvent | null> {
  const [row] = await sql.query<WholeRow>(readEvent, [id, ...idRange([id])]);
  if (!row) return null;
  const { started, headers, contentType, body, history, notifications, ...others } = row;
  const { payloadBytes, payloadSha256, headersTruncated, siblings, unmatched, generationAt, ...rest } = others;
  const { actions: done, pauses, checked, rejectedEventId, ...event } = rest;
  const attempts = history.map((attempt) => ({ ...attempt, started_at: iso(attempt.started_at) }));
  const actions = done.map((action) => ({ ...action, at: iso(action.at) }));
  return {
    ...{ event, started, headers, contentType, body, payloadBytes, payloadSha256, headersTruncated },
    ...{ siblings, unmatched, history: attempts, actions, rejectedEventId },
    checked: checked && { ...checked, checked_at: iso(checked.checked_at) },
    pauses: pausesMet(
      pauses.map((pause) => ({ ...pause, since: iso(pause.since), until: isoOrNull(pause.until) })),
      {
        ...{ receivedAt: event.received_at, backfilledAt: event.backfilled_at },
        ...{ generation: event.generation, generationAt, isPending: event.delivery_status === 'pending' },
        ...{ history: attempts, actions },
      },
    ),
    notifications: notifications.map(({ ordinal: _ordinal, summary, ...one }) => ({
      ...one,
      next_attempt_at: isoOrNull(one.next_attempt_at),
      sent_at: isoOrNull(one.sent_at),
      summary: summary && { ...summary, sent_at: isoOrNull(summary.sent_at) },
    })),
  };
}

const readPayloadOf = {
  name: '',
  text: `select ${payloadColumns} from events e join event_payloads p on ${payloadOfEvent} where e.id = $1`,
};

/** The stored body of an event, with what is known about the whole body. */
export type Payload = Pick<WholeEvent, 'contentType' | 'body' | 'payloadBytes' | 'payloadSha256'>;

/** Reads the body of one event; null if the event does not exist. */
export async function readPayload(sql: Sql, id: string): Promise<Payload | null> {
  return (await sql.query<Payload>(readPayloadOf, [id, ...idRange([id])]))[0] ?? null;
}
