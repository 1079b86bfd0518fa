import type { Sql } from '../database/sql.ts';
import { idRange } from './id-range.ts';
import { lanes } from './lanes.ts';
import { isPaused } from './pause.ts';

/** An event that the relay has claimed. It still needs its first attempt, its workflow, or both. */
export interface Claimed {
  eventId: string;
  accountId: string;
  generation: number;
  /** Whether the relay makes the first attempt itself, instead of the workflow. */
  direct: boolean;
}

/** Identifies a claim on an event. `token` is that of the process that holds the claim. */
export interface ClaimName {
  eventId: string;
  generation: number;
  token: string;
}

export interface ClaimedRow {
  event_id: string;
  account_id: string;
  generation: number;
  direct: boolean;
}

/** Accounts per claim: bounds the cost of a claim. The next claim continues after the last one. */
export const accountsAClaim = 64;

/**
 * The accounts of a lane after the account `after`, by a loose index scan: one index lookup per account, even if the
 * account has thousands of events.
 */
export const accountsOfLane = (lane: string | number, after: string) => `hop as (
      (select account_id, 1 as n from event_queue where lane = ${lane} and account_id > ${after} order by account_id limit 1)
      union all
      select (select q.account_id from event_queue q where q.lane = ${lane} and q.account_id > hop.account_id order by q.account_id limit 1), hop.n + 1
      from hop where hop.account_id is not null and hop.n < ${accountsAClaim}
    )`;

/** Sorts before every UUID: before the first account, or before the first event of an account. */
export const lowestId = '00000000-0000-0000-0000-000000000000';
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * The events of an account in the queue `q` after the event `after`; they have to be ordered by account and event. Only
 * the index of a lane has this range and this order. With `account_id = …`, PostgreSQL would also consider the primary
 * key: after a vacuum of the nearly empty table it did, and walked all that was in the queue for each account.
 */
export const ofAccount = (account: string, after: string) =>
  `(q.account_id, q.event_id) > (${account}, ${after}) and (q.account_id, q.event_id) < (${account}, '${highestId}'::uuid)`;

/**
 * Claims events of the accounts in `turns` (account_id, after, free). Each account gets a fair share, so that thousands
 * of events of one account do not delay the first event of another. Answers with the accounts, how many events of each
 * could be claimed at most, and the claimed events.
 *
 * $1: how many in all; $2 and $3: token and lease; $4: permits; $5 and $6: whether to claim events without a workflow, and
 * those whose workflow may have been started.
 */
const claimOfTurns = `
    share as (
      select greatest(1, $1 / greatest(1, (select count(*) from turns where free > 0))) as size
    ), asked as (
      select account_id, after, case when ${isPaused} then 0 else least(greatest(free, 0), size) end::integer as most from turns cross join share
    ), picked as (
      select p.event_id from asked a cross join lateral (
        select q.event_id from event_queue q
        where q.lane = ${lanes.firstAttempt} and ${ofAccount('a.account_id', 'a.after')} and (q.claimed_until is null or q.claimed_until <= now())
          and case when q.claim_token is not null and not q.direct then $6::boolean else $5::boolean end
        order by q.account_id, q.event_id limit a.most for update skip locked
      ) p limit $1
    ), sized as (
      select count(*) as n from picked
    ), claimed as (
      update event_queue q set claim_token = $2, claimed_until = now() + make_interval(secs => $3),
        -- Either all claimed events wait for Temporal, or none: if there are more than permits, the relay makes all
        -- attempts. Exception: the last claim ended before it was known whether it had started the workflow, whose
        -- attempt may be in flight. This claim then finds the running workflow, or starts it.
        direct = (select n from sized) > $4 and (q.claim_token is null or q.direct)
      from picked where q.event_id = picked.event_id
      returning q.event_id, q.account_id, q.generation, q.direct
    )
    select a.account_id as visited, a.most, c.event_id, c.account_id, c.generation, c.direct
    from asked a left join claimed c on c.account_id = a.account_id order by a.account_id`;

// $8 and $9 are accounts and how many events of each can be taken; $10 is how many of any other account.
const claimOfAll = {
  name: 'claim_first_attempts',
  text: `
    with recursive ${accountsOfLane(lanes.firstAttempt, '$7')}, turns as (
      select h.account_id, '${lowestId}'::uuid as after, coalesce(r.room, $10) as free
      from hop h left join unnest($8::uuid[], $9::integer[]) as r (account_id, room) on r.account_id = h.account_id
      where h.account_id is not null
    ), ${claimOfTurns}`,
};

const claimOfKnown = {
  name: 'claim_first_attempts_of',
  text: `
    with turns as (
      select * from unnest($7::uuid[], $8::uuid[], $9::integer[]) as t (account_id, after, free)
    ), ${claimOfTurns}`,
};

/** The accounts of a claim. */
export type Turns =
  /** The next accounts after the account `after` that have events in the queue. */
  | { kind: 'all'; after: string }
  /** These accounts, each from the event after `after` on. */
  | { kind: 'known'; accounts: { id: string; after: string }[] };

/**
 * Which events a process claims for their first attempt:
 *
 * - `all`
 * - `direct`: those that no claim has let a workflow make. The process has no connection to Temporal.
 * - `workflow`: the others. Another process of the same gateway makes the direct attempts.
 */
export type ClaimScope = 'all' | 'direct' | 'workflow';

/** The result of a claim for first attempts. */
export interface ClaimRound {
  claimed: Claimed[];
  /** The accounts that the claim has looked at, and the most events of each that it could claim. */
  visited: { accountId: string; most: number }[];
  /** The account after which to continue; null when all accounts were looked at. */
  next: string | null;
}

/**
 * Claims events that need their first attempt. Claims none while deliveries are paused.
 *
 * @param options `room`: how many events of an account can be taken, for those accounts that already have some, and for
 *   the others; `permits`: if no more events than this are claimed, their workflows make the first attempts, otherwise all
 *   of them are direct.
 */
export async function claimForAttempt(
  sql: Sql,
  options: {
    turns: Turns;
    room: { of: ReadonlyMap<string, number>; others: number };
    limit: number;
    token: string;
    leaseS: number;
    permits: number;
    scope?: ClaimScope;
  },
): Promise<ClaimRound> {
  const { turns, room, limit, token, leaseS, permits, scope = 'all' } = options;
  const common = [limit, token, leaseS, permits, scope !== 'workflow', scope !== 'direct'];
  const rows =
    turns.kind === 'all'
      ? await sql.query<TurnRow>(claimOfAll, [
          ...common,
          turns.after,
          [...room.of.keys()],
          [...room.of.values()],
          room.others,
        ])
      : await sql.query<TurnRow>(claimOfKnown, [
          ...common,
          turns.accounts.map(({ id }) => id),
          turns.accounts.map(({ after }) => after),
          turns.accounts.map(({ id }) => room.of.get(id) ?? room.others),
        ]);
  const visited = new Map(rows.map((row) => [row.visited, row.most]));
  return {
    claimed: rows.flatMap(({ event_id, ...row }) => (event_id === null ? [] : [toClaimed({ ...row, event_id })])),
    visited: [...visited].map(([accountId, most]) => ({ accountId, most })),
    next: turns.kind === 'all' && visited.size >= accountsAClaim ? (rows.at(-1)?.visited ?? null) : null,
  };
}

type TurnRow = { visited: string; most: number } & Omit<ClaimedRow, 'event_id'> & { event_id: string | null };

export const toClaimed = (row: ClaimedRow): Claimed => ({
  eventId: row.event_id,
  accountId: row.account_id,
  generation: row.generation,
  direct: row.direct,
});

const renewLeases = {
  name: 'renew_leases',
  // Skips locked rows: a transaction that ends the claim is writing them. Locks the others by id, so that batches never
  // deadlock.
  text: `
    with mine as (
      select event_id from event_queue where event_id = any($1) and claim_token = $2 order by event_id for update skip locked
    )
    update event_queue q set claimed_until = now() + make_interval(secs => $3) from mine where q.event_id = mine.event_id`,
};

/** Renews the leases that this token still holds. */
export async function renew(sql: Sql, eventIds: string[], token: string, leaseS: number): Promise<void> {
  await sql.query(renewLeases, [eventIds, token, leaseS]);
}

const takeOver = {
  name: 'take_over_attempt',
  text: `update event_queue set direct = true where event_id = $1 and generation = $2 and claim_token = $3 returning event_id`,
};

/** Changes a claim so that the relay makes the attempt instead of the workflow. False if the lease was lost. */
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
    update event_queue q set claimed_until = now() + make_interval(secs => $4), claim_token = null, direct = false, lane_since = now(),
      lane = case when s.delivery_status is distinct from 'pending' then ${lanes.settledStart}
                  when s.scheduled_attempts > 0 or s.next_attempt_at is not null then ${lanes.pendingStart}
                  else ${lanes.firstAttempt} end
    from states s
    where q.event_id = s.event_id and q.generation = s.generation and q.claim_token = s.claim_token`,
};

/** Releases claims and sets the lane by each event's state. The events can be claimed again after `delayS` seconds. */
export async function handBackClaims(sql: Sql, claims: ClaimName[], delayS: number): Promise<void> {
  await sql.query(handBack, [
    claims.map((c) => c.eventId),
    claims.map((c) => c.generation),
    claims.map((c) => c.token),
    delayS,
    ...idRange(claims.map((c) => c.eventId)),
  ]);
}
