import { setTimeout as sleep } from 'node:timers/promises';
import type { Postgres } from './postgres.ts';

/** An event's row after the seed. */
export interface EventRow {
  id: string;
  /** The id of its webhook. */
  requestId: string;
  /** The name of its consumer. */
  consumer: string;
  account: string;
  externalId: string;
  status: string;
  deliveryStatus: string;
  attempts: number;
  scheduledAttempts: number;
  generation: number;
  startedGeneration: number;
}

/** Declared dead: by a cancellation of its workflow, because no operator takes part. */
export const isDead = ({ status }: EventRow) => status === 'dead';
export const isExhausted = (event: EventRow) => event.deliveryStatus === 'failed' && !isDead(event);

export interface AttemptRow {
  eventId: string;
  trigger: string;
  number: number;
  outcome: string;
  responseCode: number | null;
  startedMs: number;
}

interface NotificationRow {
  eventId: string;
  destination: string;
  status: string;
}

/** Everything that the checks compare. */
export interface Rows {
  events: EventRow[];
  attempts: AttemptRow[];
  notifications: NotificationRow[];
  /** The events that are in the queue. */
  queued: string[];
  /** The event of each entry of the audit log about a cancellation in Temporal. */
  cancelled: string[];
}

export async function readRows({ query }: Postgres): Promise<Rows> {
  return {
    events: await query<EventRow>(
      `select e.id, coalesce(request_id, e.id) as "requestId", coalesce(name, 'default') as consumer, account_slug as account,
         external_id as "externalId", status, delivery_status as "deliveryStatus", attempts,
         scheduled_attempts as "scheduledAttempts", generation, started_generation as "startedGeneration"
       from events e left join consumers c on c.id = e.consumer_id order by e.id`,
    ),
    attempts: await query<AttemptRow>(
      `select event_id as "eventId", trigger, number, outcome, response_code as "responseCode",
         extract(epoch from started_at)::double precision * 1000 as "startedMs"
       from delivery_attempts order by event_id, number`,
    ),
    notifications: await query<NotificationRow>(
      `select event_id as "eventId", name as destination, status from notifications order by event_id, ordinal`,
    ),
    queued: (await query<{ id: string }>('select event_id as id from event_queue')).map(({ id }) => id),
    cancelled: (
      await query<{ id: string }>(
        `select details ->> 'event_id' as id from audit_logs where actor = 'temporal' and action = 'event.fail'`,
      )
    ).map(({ id }) => id),
  };
}

/** What is not settled yet, in words; null when every event, workflow start and notification is. */
async function unsettled({ query }: Postgres): Promise<string | null> {
  const [row] = await query<{ pending: number; queued: number; unstarted: number; untold: number }>(
    `select (select count(*)::integer from events where delivery_status = 'pending') as pending,
       (select count(*)::integer from event_queue) as queued,
       (select count(*)::integer from events where started_generation < generation) as unstarted,
       (select count(*)::integer from notifications where status = 'pending') as untold`,
  );
  if (!row || row.pending + row.queued + row.unstarted + row.untold === 0) return null;
  return (
    `${row.pending} events are pending, ${row.queued} are queued, ${row.unstarted} have no workflow, ` +
    `${row.untold} notifications are not sent`
  );
}

/** Waits until every event is settled. Returns what was left at the time limit, in words; null if nothing. */
export async function untilSettled(postgres: Postgres, limitMs: number): Promise<string | null> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const left = await unsettled(postgres).catch((error: unknown) => String(error));
    if (left === null || performance.now() > endMs) return left;
    await sleep(250);
  }
}
