import { hostname } from 'node:os';
import type { Sql } from '../database/sql.ts';
import { version } from '../shared/version.ts';

/**
 * The rows of the processes. The owner of a claim is the process with its token. A claim is in force while its owner is
 * alive: while `alive_until` of its row, which it writes once a second, is in the future.
 */

/** What a process says of itself. */
export interface ProcessInfo {
  /** Of its claims. */
  token: string;
  role: 'api' | 'worker';
  host: string;
  pid: number;
  version: string;
  makesFirstAttempts: boolean;
  startedAt: Date;
}

/** What each process says of itself in its row, with or without claims. */
export const thisProcess = (): Pick<ProcessInfo, 'host' | 'pid' | 'version' | 'startedAt'> => ({
  ...{ host: hostname(), pid: process.pid, version, startedAt: new Date() },
});

/** Seconds between two heartbeats of a process. */
export const beatS = 1;
/** Seconds for which a heartbeat counts. Leaves half of the 10 s within which events are delivered to another process. */
export const aliveS = 4;
/**
 * Seconds for which a dead process keeps its row. PostgreSQL may still commit a claim that it had sent: a statement ends
 * after 9 s (src/database/database.ts).
 */
const keptS = 15;

const heartbeat = {
  name: 'heartbeat',
  text: `
    with mine as (
      insert into processes as p (token, role, host, pid, version, makes_first_attempts, started_at, alive_until, first_attempts_per_s)
      values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => ${aliveS}), $8)
      on conflict (token) do update set alive_until = excluded.alive_until, first_attempts_per_s = excluded.first_attempts_per_s
    )
    select now() as at, count(*) filter (where alive_until <= now())::integer as dead,
      count(*) filter (where alive_until > now() and makes_first_attempts)::integer as attempting,
      coalesce(sum(first_attempts_per_s) filter (where alive_until > now() and host = $3), 0)::float8 as per_s_here,
      count(*) filter (where alive_until > now() and host = $3 and role = 'worker')::integer as workers_here
    from processes`,
};

/** The other processes, as a heartbeat finds them. */
export interface Others {
  /** The time of the heartbeat by the clock of PostgreSQL. */
  at: Date;
  /** How many were alive within the last 15 s and are no more. */
  dead: number;
  /** How many make first attempts. */
  attempting: number;
  /** First attempts a second of the processes on this machine. */
  perSHere: number;
  /** Workers on this machine. */
  workersHere: number;
}

export const noOthers: Others = { at: new Date(0), dead: 0, attempting: 0, perSHere: 0, workersHere: 0 };

interface HeartbeatRow {
  at: Date;
  dead: number;
  attempting: number;
  per_s_here: number;
  workers_here: number;
}

/** Says that a process is alive, and which others are. */
export async function beat(sql: Sql, info: ProcessInfo, firstAttemptsPerS: number): Promise<Others> {
  const { token, role, host, pid, version, makesFirstAttempts, startedAt } = info;
  const [row] = await sql.query<HeartbeatRow>(heartbeat, [
    ...[token, role, host, pid, version, makesFirstAttempts, startedAt, firstAttemptsPerS],
  ]);
  return row
    ? {
        at: row.at,
        dead: row.dead,
        attempting: row.attempting,
        perSHere: row.per_s_here,
        workersHere: row.workers_here,
      }
    : noOthers;
}

/** Ends the claims of the tokens in `dead`. A row that another transaction has locked is skipped: the next call finds it. */
const ending = `
    events as materialized (
      select q.event_id from event_queue q join dead d on d.token = q.claim_token
      where q.claimed_until > now() order by q.event_id for update of q skip locked
    ), ended as (
      -- The token stays in the row. So the former owner, if it lives after all, can still record an attempt in flight
      -- until the event is claimed again.
      update event_queue q set claimed_until = now() from events e where q.event_id = e.event_id returning 1
    ), commands as (
      update event_commands c set claimed_until = now() from dead d
      where c.claim_token = d.token and c.claimed_until > now() returning 1
    )`;
const counts = `(select count(*) from ended)::integer as events, (select count(*) from commands)::integer as commands`;

/** How many claims were ended. */
export interface Ended {
  events: number;
  commands: number;
}
const none: Ended = { events: 0, commands: 0 };

const endOfDead = {
  name: 'end_claims_of_dead',
  // A process that comes back at this moment waits for the lock of its row. If the statement was held up, the row of its own
  // process is old, and so may be those of the others that live: it then ends nothing.
  text: `
    with dead as materialized (
      select d.token from processes d join processes own on own.token = $1
      where d.alive_until <= now() and own.alive_until > now() + make_interval(secs => ${beatS})
      for update of d skip locked
    ), ${ending}, gone as (
      -- Not while a claim is left that was locked, because nothing looks for claims of processes without a row.
      delete from processes p using dead d where p.token = d.token and p.alive_until < now() - make_interval(secs => ${keptS})
        and (select true from event_queue q where q.claim_token = p.token and q.claimed_until > now() limit 1) is null
    )
    select ${counts}`,
};

/**
 * Ends the claims of all processes that are dead, so that their events and commands can be claimed again.
 *
 * @param token of the process that asks, which has just written its row.
 */
export async function endClaimsOfDead(sql: Sql, token: string): Promise<Ended> {
  const [row] = await sql.query<{ events: number; commands: number }>(endOfDead, [token]);
  return row ?? none;
}

const endOfUnknown = {
  name: 'end_claims_of_unknown',
  // Only claims without an end of their own: a release that does not know this table renews its claims, which end soon.
  text: `
    with dead as materialized (
      select distinct q.claim_token as token from event_queue q
      where q.claimed_until = 'infinity' and not exists (select from processes p where p.token = q.claim_token)
    ), ${ending}
    select ${counts}`,
};

/**
 * Ends the claims of processes without a row: those that died when the rows were lost with PostgreSQL. Reads the whole
 * queue. Call it when every process that lives has had the time to write its row again.
 */
export async function endClaimsOfUnknown(sql: Sql): Promise<Ended> {
  const [row] = await sql.query<{ events: number; commands: number }>(endOfUnknown, []);
  return row ?? none;
}

const endOwn = {
  name: 'end_own_claims',
  // The clock is read after the snapshot was taken. So a statement that was held up does not see claims that were made since.
  text: `
    with lost as (
      select event_id from event_queue where claim_token = $1 and claimed_until > now() and event_id <> all($2::uuid[])
        and clock_timestamp() < $3::timestamptz
      order by event_id for update skip locked
    )
    update event_queue q set claimed_until = now() from lost l where q.event_id = l.event_id returning q.event_id`,
};

/**
 * Ends the claims of a token except those of `held`.
 *
 * @param before the statement ends nothing from this time on, by the clock of PostgreSQL.
 * @returns how many were ended.
 */
export async function endClaimsExcept(
  sql: Sql,
  token: string,
  held: string[],
  before: Date | 'infinity',
): Promise<number> {
  return (await sql.query<{ event_id: string }>(endOwn, [token, held, before])).length;
}

const leave = {
  name: 'leave_processes',
  text: `
    with held as (
      select from event_queue where claim_token = $1 and claimed_until > now() limit 1
    ), gone as (
      delete from processes where token = $1 and not $2 and not exists (select from held)
    )
    update processes set alive_until = now() where token = $1 and ($2 or exists (select from held))`,
};

/**
 * Removes the row of a process that stops. While it has claims, the row stays as that of a dead process, so that others
 * take them over: nothing looks for claims of processes without a row until a process starts.
 *
 * @param inDoubt whether a claim whose answer was lost may still be committed.
 */
export async function leaveProcesses(sql: Sql, token: string, inDoubt: boolean): Promise<void> {
  await sql.query(leave, [token, inDoubt]);
}

const count = {
  name: '',
  text: `
    select count(*) filter (where role = 'worker')::integer as workers, count(*) filter (where makes_first_attempts)::integer as delivering
    from processes where alive_until > now()`,
};

/** How many workers that take deliveries are alive, and how many processes that make first attempts. */
export async function countProcesses(sql: Sql): Promise<{ workers: number; delivering: number }> {
  const [row] = await sql.query<{ workers: number; delivering: number }>(count, []);
  return row ?? { workers: 0, delivering: 0 };
}

const list = {
  name: '',
  text: `
    select token as id, role, host, pid, version, makes_first_attempts, first_attempts_per_s, started_at,
      alive_until - make_interval(secs => ${aliveS}) as last_seen_at, alive_until > now() as alive
    from processes where alive_until > now() - make_interval(secs => ${keptS}) order by role, started_at, token`,
};

/** A process as `GET /admin/processes` shows it. */
export interface ListedProcess {
  /** The token of its claims. */
  id: string;
  role: 'api' | 'worker';
  host: string;
  pid: number;
  version: string;
  makes_first_attempts: boolean;
  first_attempts_per_s: number;
  started_at: Date;
  last_seen_at: Date;
  alive: boolean;
}

/** The processes that run, and those that died within the last 15 s. */
export const listProcesses = (sql: Sql) => sql.query<ListedProcess>(list, []);
