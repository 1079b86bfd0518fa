import type { Sql, Statement } from '../database/sql.ts';
import { channels, type EventRow, eventColumns } from './event.ts';
import { isPaused } from './pause.ts';

/** Why an operator's command did not apply. */
export type Refusal =
  | 'not_found'
  | 'event_rejected'
  | 'event_dead'
  | 'account_deleted'
  | 'account_disabled'
  | 'delivery_paused';
export type Operation = { ok: true; event: EventRow } | { ok: false; reason: Refusal };

// Changing an event and leaving word for its workflow are one statement each, so they commit together or not at all.

const replayText = (condition: string) => `
    with e as (
      update events e set generation = generation + 1, generation_at = now(), status = 'received', delivery_status = 'pending',
        attempts = 0, scheduled_attempts = 0, manual_attempts = 0, last_error = null, response_code = null,
        delivered_at = null, next_attempt_at = null, held_since = null
      from accounts a
      where e.id = $1 and e.rejection_reason is null and a.id = e.account_id and a.deleted_at is null ${condition}
      returning e.*
    ), queued as (
      insert into event_queue (event_id, account_id, generation, lane) select id, account_id, generation, 0 from e
      on conflict (event_id) do update set generation = excluded.generation, lane = 0, direct = false, claimed_until = null, claim_token = null
    )
    select ${eventColumns}, pg_notify('${channels.queue}', '') from e`;

const replayEvent = { name: 'replay_event', text: replayText('') };

// Dead events are left dead: that was an operator's word.
const replayFailedEvent = {
  name: 'replay_failed_event',
  text: replayText(`and e.status <> 'dead' and (e.status = 'failed' or e.delivery_status = 'failed')`),
};

const retryEvent = {
  name: 'retry_event',
  text: `
    with e as (
      update events e set manual_attempts = manual_attempts + 1
      from accounts a
      where e.id = $1 and e.rejection_reason is null and e.status <> 'dead' and a.id = e.account_id and a.deleted_at is null and a.enabled
        and not ${isPaused}
      returning e.*
    ), command as (
      insert into event_commands (event_id, kind, generation, number) select id, 'retry', generation, manual_attempts from e
    ), hurried as (
      -- A retry waits for the event's workflow; one that only has to be recorded need not wait behind thousands.
      update event_queue q set lane = 1 from e where q.event_id = e.id and q.lane = 2
    )
    select ${eventColumns}, pg_notify('${channels.commands}', '') from e`,
};

const ackEvent = {
  name: 'ack_event',
  text: `
    with before as (
      select id, delivery_status from events where id = $1 for update
    ), e as (
      update events e set status = 'processed',
        delivery_status = case when e.delivery_status = 'pending' then 'delivered' else e.delivery_status end,
        delivered_at = case when e.delivery_status = 'pending' then now() else e.delivered_at end,
        next_attempt_at = null
      from before b where e.id = b.id and e.id = $1
      returning e.*
    ), command as (
      insert into event_commands (event_id, kind, generation) select e.id, 'ack', e.generation from e join before b on b.id = e.id
      where b.delivery_status = 'pending'
    )
    select ${eventColumns}, pg_notify('${channels.commands}', '') from e`,
};

const failEvent = {
  name: 'fail_event',
  text: `
    with before as (
      select id, delivery_status from events where id = $1 for update
    ), e as (
      update events e set status = case when $3 then 'dead' else 'failed' end,
        last_error = coalesce($2, e.last_error),
        delivery_status = case when $3 and e.delivery_status = 'pending' then 'failed' else e.delivery_status end,
        next_attempt_at = case when $3 then null else e.next_attempt_at end
      from before b where e.id = b.id and e.id = $1
      returning e.*
    ), command as (
      insert into event_commands (event_id, kind, generation, dead) select e.id, 'fail', e.generation, $3 from e join before b on b.id = e.id
      where b.delivery_status = 'pending'
    )
    select ${eventColumns}, pg_notify('${channels.commands}', '') from e`,
};

const whyNot = {
  name: 'why_event_refused',
  text: `select e.rejection_reason, e.status, a.deleted_at is not null as account_deleted, a.enabled as account_enabled, ${isPaused} as paused
         from events e join accounts a on a.id = e.account_id where e.id = $1`,
};

/** Ten fresh attempts at once, under a new generation; revives dead events too (docs/concepts.md). */
export function replay(sql: Sql, eventId: string): Promise<Operation> {
  return apply(sql, replayEvent, [eventId], 'needs_account');
}

/** Replays an event if it has failed by now: of several that ask at once, one does. Null when it was not replayed. */
export async function replayIfFailed(sql: Sql, eventId: string): Promise<EventRow | null> {
  await sql.query(applyReplays, [[eventId]]);
  const [event] = await sql.query<EventRow>(replayFailedEvent, [eventId]);
  return event ?? null;
}

// migrations/functions/replay_failed_events.sql, apply_replays.sql, apply_next_replays.sql
const replayFailedEvents = {
  name: '',
  text: 'select replay_failed_events($1, $2) as replayed',
};
const applyReplays = { name: 'apply_replays', text: 'select apply_replays($1)' };
const applyNextReplays = { name: 'apply_next_replays', text: 'select apply_next_replays($1) as taken' };

/** Replays a transaction: a tenth of a second's work, during which operators who change one of these events wait. */
const replaysABatch = 1_000;

/**
 * Replays every event whose delivery or whose processing has failed, but none that is dead, rejected, or of a deleted account.
 * More than a few thousand show it a moment later, when a worker has got to them: see `applyWaitingReplays`.
 *
 * @param filter only events of this application or provider.
 * @returns how many are replayed; of two calls at once each event is counted by one.
 */
export async function replayFailed(
  sql: Sql,
  filter: { app_key?: string | undefined; provider?: string | undefined } = {},
): Promise<number> {
  const [row] = await sql.query<{ replayed: number }>(replayFailedEvents, [
    filter.app_key ?? null,
    filter.provider ?? null,
  ]);
  return row?.replayed ?? 0;
}

/**
 * Carries out some of the replays that `replayFailed` has left to the workers.
 *
 * @returns whether there may be more.
 */
export async function applyWaitingReplays(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ taken: number }>(applyNextReplays, [replaysABatch]);
  return row?.taken === replaysABatch;
}

/** One manual attempt now, besides the schedule. A disabled account and a pause are refused: nothing would be sent. */
export function retry(sql: Sql, eventId: string): Promise<Operation> {
  return apply(sql, retryEvent, [eventId], 'needs_sending_now');
}

/** The consumer has processed it: attempts stop. */
export function ack(sql: Sql, eventId: string): Promise<Operation> {
  return apply(sql, ackEvent, [eventId], 'any');
}

/** The consumer could not process it. Attempts go on unless `dead`, which also keeps destinations quiet. */
export function fail(sql: Sql, eventId: string, options: { error: string | null; dead: boolean }): Promise<Operation> {
  return apply(sql, failEvent, [eventId, options.error, options.dead], 'any');
}

type Guard = 'any' | 'needs_account' | 'needs_sending_now';

async function apply(
  sql: Sql,
  statement: Statement,
  values: [eventId: string, ...rest: unknown[]],
  guard: Guard,
): Promise<Operation> {
  // What was asked for before happens before.
  await sql.query(applyReplays, [[values[0]]]);
  for (;;) {
    const [event] = await sql.query<EventRow>(statement, values);
    if (event) return { ok: true, event };
    const reason = await refusal(sql, values[0], guard);
    if (reason !== null) return { ok: false, reason };
    // What stood in the way a moment ago is gone (a dead event was revived): the statement applies now.
  }
}

async function refusal(sql: Sql, eventId: string, guard: Guard): Promise<Refusal | null> {
  const [row] = await sql.query<{
    rejection_reason: string | null;
    status: string;
    account_deleted: boolean;
    account_enabled: boolean;
    paused: boolean;
  }>(whyNot, [eventId]);
  if (!row) return 'not_found';
  if (guard === 'any') return null;
  if (row.rejection_reason !== null) return 'event_rejected';
  if (row.account_deleted) return 'account_deleted';
  if (guard === 'needs_account') return null;
  if (row.status === 'dead') return 'event_dead';
  if (!row.account_enabled) return 'account_disabled';
  return row.paused ? 'delivery_paused' : null;
}
