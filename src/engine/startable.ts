import type { LastAttempt, NotificationRequest } from '../../workflows/messages.ts';
import type { Sql } from '../database/sql.ts';
import type { DeliveryStatus } from '../events/event.ts';
import { idRange } from '../events/id-range.ts';

/** The input for starting an event's workflow, read from the event's row. */
export interface Startable {
  eventId: string;
  generation: number;
  /** The last generation for which a workflow was started or signaled; -1 for none. */
  startedGeneration: number;
  provider: string;
  accountSlug: string;
  /** The name of the consumer. */
  consumer: string;
  /** The delays of the consumer's own schedule; null: it has none. */
  delaysMs: number[] | null;
  appKey: string;
  eventType: string | null;
  deliveryStatus: DeliveryStatus;
  scheduledAttempts: number;
  nextAttemptAt: Date | null;
  /** The latest scheduled attempt of the generation; null if there was none. */
  lastAttempt: LastAttempt | null;
  /** Of an exhausted event: the notifications that are not settled yet. Null: none, or it is not exhausted. */
  notifications: NotificationRequest[] | null;
  /** The span of the webhook; null if it was received while tracing was off. */
  traceparent: string | null;
}

const readStartables = {
  name: 'read_startables',
  text: `
    select e.id as "eventId", e.generation, e.started_generation as "startedGeneration", e.provider, e.account_slug as "accountSlug",
      coalesce(c.name, 'default') as consumer, c.options->'delaysMs' as "delaysMs",
      e.app_key as "appKey", e.event_type as "eventType", e.delivery_status as "deliveryStatus",
      e.scheduled_attempts as "scheduledAttempts", e.next_attempt_at as "nextAttemptAt", p.traceparent,
      case when a.outcome is not null then jsonb_strip_nulls(jsonb_build_object(
        'number', a.number, 'at', a.started_at, 'outcome', a.outcome, 'responseCode', a.response_code, 'durationMs', round(a.duration_ms)
      )) end as "lastAttempt",
      case when e.delivery_status = 'failed' then (
        select jsonb_agg(jsonb_build_object('generation', n.generation, 'destinationId', n.destination_id, 'destinationType', n.destination_type) order by n.ordinal)
        from notifications n where n.event_id = e.id and n.event_id between $2 and $3 and n.generation = e.generation and n.status = 'pending'
      ) end as notifications
    from unnest($1::uuid[]) as i (event_id) join events e on e.id = i.event_id and e.id between $2 and $3
      left join consumers c on c.id = coalesce(e.consumer_id, e.account_id)
      left join event_payloads p on p.event_id = coalesce(e.request_id, e.id) and p.event_id between $2 and $3
      left join delivery_attempts a on a.event_id = i.event_id and a.event_id between $2 and $3
        and a.generation = e.generation and a.trigger = 'schedule' and a.number = e.scheduled_attempts`,
};

/** Reads the input for starting or signaling the workflows of these events. Missing events are not in the map. */
export async function readForStart(sql: Sql, eventIds: string[]): Promise<Map<string, Startable>> {
  const rows = await sql.query<Startable>(readStartables, [eventIds, ...idRange(eventIds)]);
  return new Map(rows.map((row) => [row.eventId, row]));
}
