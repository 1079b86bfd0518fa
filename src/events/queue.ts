import type { Sql } from '../database/sql.ts';
import { idRange } from './id-range.ts';
import { lanes, type StartLane } from './lanes.ts';
import { isPaused } from './pause.ts';

/** What the relay has claimed: an event that still needs its first attempt, its workflow, or both. */
export interface Claimed {
  eventId: string;
  accountId: string;
  generation: number;
  /** Whether the claimer makes the first attempt itself, and not the workflow. */
  direct: boolean;
}

/** A claim that somebody holds. */
export interface ClaimName {
  eventId: string;
  generation: number;
  token: string;
}

interface ClaimedRow {
  event_id: string;
  account_id: string;
  generation: number;
  direct: boolean;
}

// A loose index scan hops from account to account, from behind the one where the last claim ended, and takes a fair
// share of each: one account's thousands never stand before another's first. $2 and $3 say how many attempts each
// account has in flight here, $4 how many it may have.
/** Accounts that one claim looks at. */
const accountsAClaim = 64;

/** The accounts of a lane behind `after`, by a loose index scan: one hop an account, however many events each has. */
const accountsOfLane = (lane: string | number, after: string) => `hop as (
      (select account_id, 1 as n from event_queue where lane = ${lane} and account_id > ${after} order by account_id limit 1)
      union all
      select (select q.account_id from event_queue q where q.lane = ${lane} and q.account_id > hop.account_id order by q.account_id limit 1), hop.n + 1
      from hop where hop.account_id is not null and hop.n < ${accountsAClaim}
    )`;

/** What a claim answers with: the `claimed` rows, and how far round the accounts of `turns` it went. */
const claimedAndNext = `select l.hops, l.last_account, c.* from (
      select count(*)::integer as hops, (select account_id from turns order by account_id desc limit 1) as last_account from turns
    ) l left join claimed c on true`;

const claimFirstAttempts = {
  name: 'claim_first_attempts',
  text: `
    with recursive ${accountsOfLane(lanes.firstAttempt, '$1')}, turns as (
      select h.account_id, greatest($4 - coalesce(b.used, 0), 0) as free
      from hop h left join unnest($2::uuid[], $3::integer[]) as b (account_id, used) on b.account_id = h.account_id
      where h.account_id is not null and not ${isPaused}
    ), share as (
      select greatest(1, $5 / greatest(1, (select count(*) from turns where free > 0))) as size
    ), picked as (
      select p.event_id from turns t cross join share s cross join lateral (
        select q.event_id from event_queue q
        where q.lane = ${lanes.firstAttempt} and q.account_id = t.account_id and (q.claimed_until is null or q.claimed_until <= now())
        order by q.event_id limit least(t.free, s.size) for update skip locked
      ) p limit $5
    ), sized as (
      select count(*) as n from picked
    ), claimed as (
      update event_queue q set claim_token = $6, claimed_until = now() + make_interval(secs => $7),
        -- Permits are for a trickle: when more events wait than may wait for the engine, none does.
        direct = (select n from sized) > $8
      from picked where q.event_id = picked.event_id
      returning q.event_id, q.account_id, q.generation, q.direct
    )
    ${claimedAndNext}`,
};

/** Before every UUID: the claim begins at the first account. */
export const beforeAllAccounts = '00000000-0000-0000-0000-000000000000';

/**
 * Claims events that need their first attempt, going round the accounts; none while deliveries are paused.
 *
 * @param options `after` is the account behind which to go on; `busy` says how many turns of each account are taken;
 *   of at most `permits` claimed events the workflow makes the first attempt, of more all are direct.
 * @returns the claimed events, and from which account to go on next; null when the round is complete.
 */
export async function claimForAttempt(
  sql: Sql,
  options: {
    after: string;
    busy: ReadonlyMap<string, number>;
    accountConcurrency: number;
    limit: number;
    token: string;
    leaseS: number;
    permits: number;
  },
): Promise<Round> {
  const rows = await sql.query<RoundRow>(claimFirstAttempts, [
    options.after,
    [...options.busy.keys()],
    [...options.busy.values()],
    options.accountConcurrency,
    options.limit,
    options.token,
    options.leaseS,
    options.permits,
  ]);
  return toRound(rows);
}

type RoundRow = { hops: number; last_account: string | null } & Omit<ClaimedRow, 'event_id'> & {
    event_id: string | null;
  };

const claimStarts = {
  name: 'claim_starts',
  text: `
    with recursive ${accountsOfLane('$1', '$2')}, turns as (
      select account_id from hop where account_id is not null
    ), share as (
      select greatest(1, $3 / greatest(1, (select count(*) from turns))) as size
    ), picked as (
      select p.event_id from turns t cross join share s cross join lateral (
        select q.event_id from event_queue q
        where q.lane = $1 and q.account_id = t.account_id and (q.claimed_until is null or q.claimed_until <= now())
        order by q.event_id limit s.size for update skip locked
      ) p limit $3
    ), claimed as (
      update event_queue q set claim_token = $4, claimed_until = now() + make_interval(secs => $5), direct = false
      from picked where q.event_id = picked.event_id
      returning q.event_id, q.account_id, q.generation, q.direct
    )
    ${claimedAndNext}`,
};

/**
 * Claims events of one lane whose workflow is missing, going round the accounts.
 */
export async function claimForStart(
  sql: Sql,
  options: { lane: StartLane; after: string; limit: number; token: string; leaseS: number },
): Promise<Round> {
  const { lane, after, limit, token, leaseS } = options;
  return toRound(await sql.query<RoundRow>(claimStarts, [lane, after, limit, token, leaseS]));
}

/** What one claim got, and from which account to go on; null when the round is complete. */
export interface Round {
  claimed: Claimed[];
  next: string | null;
}

function toRound(rows: RoundRow[]): Round {
  const [first] = rows;
  const claimed = rows.flatMap((row) => (row.event_id === null ? [] : [toClaimed({ ...row, event_id: row.event_id })]));
  return { claimed, next: first && first.hops >= accountsAClaim ? first.last_account : null };
}

const toClaimed = (row: ClaimedRow): Claimed => ({
  eventId: row.event_id,
  accountId: row.account_id,
  generation: row.generation,
  direct: row.direct,
});

const renewLeases = {
  name: 'renew_leases',
  // A row that is locked is being written by whoever ends the claim; the others in order, so that batches never deadlock.
  text: `
    with mine as (
      select event_id from event_queue where event_id = any($1) and claim_token = $2 order by event_id for update skip locked
    )
    update event_queue q set claimed_until = now() + make_interval(secs => $3) from mine where q.event_id = mine.event_id`,
};

/** Prolongs leases that are still held. */
export async function renew(sql: Sql, eventIds: string[], token: string, leaseS: number): Promise<void> {
  await sql.query(renewLeases, [eventIds, token, leaseS]);
}

const takeOver = {
  name: 'take_over_attempt',
  text: `update event_queue set direct = true where event_id = $1 and generation = $2 and claim_token = $3 returning event_id`,
};

/** Turns a claim for a workflow's attempt into one for the relay's own. False when the lease is lost. */
export async function takeOverAttempt(sql: Sql, claim: ClaimName): Promise<boolean> {
  return (await sql.query(takeOver, [claim.eventId, claim.generation, claim.token])).length > 0;
}

const handBack = {
  name: 'hand_back_claims',
  text: `
    with states as materialized (
      select i.*, e.delivery_status, e.scheduled_attempts, e.next_attempt_at
      from unnest($1::uuid[], $2::integer[], $3::uuid[]) as i (event_id, generation, claim_token)
      join events e on e.id = i.event_id and e.id between $5 and $6
    )
    update event_queue q set claimed_until = now() + make_interval(secs => $4), claim_token = null, direct = false,
      lane = case when s.delivery_status is distinct from 'pending' then ${lanes.settledStart}
                  when s.scheduled_attempts > 0 or s.next_attempt_at is not null then ${lanes.pendingStart}
                  else ${lanes.firstAttempt} end
    from states s
    where q.event_id = s.event_id and q.generation = s.generation and q.claim_token = s.claim_token`,
};

/** Gives claims up, into the lane that the events' states ask for, to be claimed again after `delayS` seconds. */
export async function handBackClaims(sql: Sql, claims: ClaimName[], delayS: number): Promise<void> {
  await sql.query(handBack, [
    claims.map((c) => c.eventId),
    claims.map((c) => c.generation),
    claims.map((c) => c.token),
    delayS,
    ...idRange(claims.map((c) => c.eventId)),
  ]);
}
