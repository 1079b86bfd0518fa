import type { Sql } from '../database/sql.ts';
import { isAmong } from '../events/queue.ts';
import { lastMade } from '../events/transitions/retried.ts';

/** An operator's command, to be passed on to the workflow of its event. */
export type Command = { id: string; eventId: string; generation: number; token: string } & (
  | { kind: 'ack' }
  | { kind: 'fail'; dead: boolean }
  | { kind: 'account_deleted' }
  | { kind: 'retry'; number: number }
);

// Commands of an event that is still queued wait until its workflow is started, which reads the event's row anyway.
const claimCommands = {
  name: 'claim_commands',
  text: `
    with picked as (
      select c.id from event_commands c
      where (c.claimed_until is null or c.claimed_until <= now() or c.claim_token = $2)
        and not exists (select 1 from event_queue q where q.event_id = c.event_id)
      order by c.id limit $1 for update skip locked
    )
    update event_commands c set claim_token = $2, claimed_until = now() + make_interval(secs => $3)
    where ${isAmong('c.id', 'select id from picked')}
    returning c.id, c.event_id, c.kind, c.generation, c.number, c.dead`,
};

interface Row {
  id: string;
  event_id: string;
  kind: Command['kind'];
  generation: number;
  number: number | null;
  dead: boolean | null;
}

/**
 * Claims the oldest commands and returns them in the order in which they were given. Commands that this token holds
 * already are claimed again: call it only while none of them is being passed on.
 */
export async function claimEventCommands(
  sql: Sql,
  options: { limit: number; token: string; leaseS: number },
): Promise<Command[]> {
  const rows = await sql.query<Row>(claimCommands, [options.limit, options.token, options.leaseS]);
  return rows
    .map((row): Command => {
      const common = { id: row.id, eventId: row.event_id, generation: row.generation, token: options.token };
      switch (row.kind) {
        case 'ack':
        case 'account_deleted':
          return { ...common, kind: row.kind };
        case 'fail':
          return { ...common, kind: 'fail', dead: row.dead ?? false };
        case 'retry':
          return { ...common, kind: 'retry', number: row.number ?? 1 };
        default:
          return row.kind satisfies never;
      }
    })
    .sort((a, b) => Number(a.id) - Number(b.id));
}

const finishCommand = {
  name: 'finish_command',
  text: `
    with done as (
      delete from event_commands where id = $1 and claim_token = $2 returning event_id, generation
    )
    -- A retry may have started the first workflow of an event that had none.
    update events e set started_generation = greatest(e.started_generation, d.generation), run_id = $4
    from done d where e.id = d.event_id and e.id = $3 and $4::text is not null`,
};

/**
 * Deletes a command after it was signaled to the workflow, or when there is no workflow to signal.
 *
 * @param runId the run that a retry was signaled to; null for other commands.
 */
export async function finishEventCommand(sql: Sql, command: Command, runId: string | null): Promise<void> {
  await sql.query(finishCommand, [command.id, command.token, command.eventId, runId]);
}

const delayCommand = {
  name: 'delay_command',
  text: `update event_commands set claimed_until = now() + make_interval(secs => $3), claim_token = null where id = $1 and claim_token = $2`,
};

/** Releases the claim on a command, which can be claimed again after `delayS` seconds. */
export async function delayEventCommand(sql: Sql, command: Command, delayS: number): Promise<void> {
  await sql.query(delayCommand, [command.id, command.token, delayS]);
}

/** The longest wait between two tries of a refused command: soon after a setting is corrected, and few calls before. */
const longestRefusedWaitS = 10 * 60;
/** Time to correct the cause of a refusal. Until it ends, the command keeps its event's day from being deleted. */
const refusedLimitS = 24 * 60 * 60;

const delayRefused = {
  name: 'delay_refused_command',
  text: `
    with discarded as (
      delete from event_commands where id = $1 and claim_token = $2 and created_at <= now() - make_interval(secs => $4)
      returning id, event_id, generation, number
    ), withdrawn as (
      update events e set manual_attempts = ${lastMade} from discarded d
      where e.id = d.event_id and e.id = $5 and e.generation = d.generation and e.manual_attempts = d.number
    ), delayed as (
      update event_commands set claim_token = null,
        claimed_until = now() + make_interval(secs => least($3, greatest(1, extract(epoch from now() - created_at))))
      where id = $1 and claim_token = $2 and created_at > now() - make_interval(secs => $4)
    )
    select exists (select from discarded) as discarded`,
};

/**
 * Releases the claim on a command that Temporal has refused. It can be claimed again after as long as it has waited so
 * far, from 1 s to 10 minutes. After a day it is deleted: the event's row has its effect, except for a retry.
 *
 * @returns whether it was deleted.
 */
export async function delayRefusedCommand(sql: Sql, command: Command): Promise<boolean> {
  const values = [command.id, command.token, longestRefusedWaitS, refusedLimitS, command.eventId];
  const [row] = await sql.query<{ discarded: boolean }>(delayRefused, values);
  return row?.discarded === true;
}
