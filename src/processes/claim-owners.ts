import { claimOwners, firstAttempters } from '../database/lock-keys.ts';
import type { Sql } from '../database/sql.ts';

/**
 * Who owns the claims of `event_queue` and `event_commands`, and whether the owner is alive. The owner of a claim is the
 * process with its token. While it lives, a session of its own holds an advisory lock for the token; PostgreSQL releases
 * the lock when the session ends, which it notices at once when the process dies. The lock's keys are `claimOwners` and
 * the first 32 bits of the token, here as text of eight hexadecimal digits. Two tokens with the same beginning are
 * unlikely, and then only their leases count.
 */
export const beginningOf = (token: string) => token.slice(0, 8);

/** The beginning of a token as a key of an advisory lock: a signed integer of 32 bits. */
const keyOf = (token: string) => Number.parseInt(beginningOf(token), 16) | 0;

// Shared, so that a process gets the lock again while the server still has its former session. Waits for a process that
// is ending the leases of this token at this moment.
const lockToken = { name: 'lock_claim_owner', text: 'select pg_advisory_lock_shared($1, $2)' };

/**
 * Holds the lock of a token until the session of `sql` ends, and if its process makes first attempts, a second one that
 * says so.
 */
export async function lockOwner(sql: Sql, token: string, owner: { makesFirstAttempts: boolean }): Promise<void> {
  await sql.query(lockToken, [claimOwners, keyOf(token)]);
  if (owner.makesFirstAttempts) await sql.query(lockToken, [firstAttempters, 0]);
}

const readFirstAttempters = {
  name: 'read_first_attempters',
  text: `
    select exists (
      select from pg_locks where locktype = 'advisory' and granted and objsubid = 2 and classid = $1::integer::oid
        and database = (select oid from pg_database where datname = current_database())
    ) as made`,
};

/** Whether a process that makes first attempts is alive. */
export async function firstAttemptsAreMade(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ made: boolean }>(readFirstAttempters, [firstAttempters]);
  return row?.made === true;
}

const readOwners = {
  name: 'read_claim_owners',
  // The view shows the keys of an advisory lock as classid and objid, and 2 in objsubid if there are two.
  text: `
    select distinct lpad(to_hex(objid::bigint), 8, '0') as beginning from pg_locks
    where locktype = 'advisory' and granted and objsubid = 2 and classid = $1::integer::oid
      and database = (select oid from pg_database where datname = current_database())`,
};

/** The beginnings of the tokens whose lock is held. */
export async function ownersAlive(sql: Sql): Promise<Set<string>> {
  const rows = await sql.query<{ beginning: string }>(readOwners, [claimOwners]);
  return new Set(rows.map(({ beginning }) => beginning));
}

const readTokens = {
  name: 'read_claim_tokens',
  text: `
    select distinct c.token from (
      select claim_token as token from event_queue where claimed_until > now()
      union all select claim_token from event_commands where claimed_until > now()
    ) c where c.token is not null`,
};

/** The tokens of all leases in force. Reads the whole queue, so call it only if a process may have died. */
export async function tokensOfLeases(sql: Sql): Promise<string[]> {
  return (await sql.query<{ token: string }>(readTokens, [])).map(({ token }) => token);
}

// The token stays in the row. So the former owner, if it lives after all, can still record an attempt in flight until
// the event is claimed again.
// A row that another transaction has locked is skipped: that transaction ends the claim, or the next call finds it.
const endLeases = {
  name: 'end_leases_of_dead',
  text: `
    with dead as materialized (
      select t.token from unnest($1::uuid[], $2::integer[]) as t (token, key) where pg_try_advisory_xact_lock($3, t.key)
    ), events as materialized (
      select q.event_id from event_queue q join dead d on d.token = q.claim_token
      where q.claimed_until > now() order by q.event_id for update of q skip locked
    ), ended as (
      update event_queue q set claimed_until = now() from events e where q.event_id = e.event_id returning 1
    ), commands as (
      update event_commands c set claimed_until = now() from dead d
      where c.claim_token = d.token and c.claimed_until > now() returning 1
    )
    select (select count(*) from ended)::integer as events, (select count(*) from commands)::integer as commands`,
};

/** Ends the leases of tokens whose lock is not held, so that their events and commands can be claimed again. */
export async function endLeasesOfDead(sql: Sql, tokens: string[]): Promise<{ events: number; commands: number }> {
  const [row] = await sql.query<{ events: number; commands: number }>(endLeases, [
    tokens,
    tokens.map(keyOf),
    claimOwners,
  ]);
  return row ?? { events: 0, commands: 0 };
}

const endOwn = {
  name: 'end_own_leases',
  text: `
    with lost as (
      select event_id from event_queue where claim_token = $1 and claimed_until > now() and event_id <> all($2::uuid[])
      order by event_id for update skip locked
    )
    update event_queue q set claimed_until = now() from lost l where q.event_id = l.event_id returning q.event_id`,
};

/**
 * Ends the leases of a token except those of `held`.
 *
 * @returns how many were ended.
 */
export async function endLeasesExcept(sql: Sql, token: string, held: string[]): Promise<number> {
  return (await sql.query<{ event_id: string }>(endOwn, [token, held])).length;
}
