import type { Sql } from '../database/sql.ts';
import type { AttemptOwner } from '../delivery/attempt-slots.ts';
import { lanes } from '../events/lanes.ts';
import { isPaused } from '../events/pause.ts';
import {
  type Claimed,
  consumersAClaim,
  consumersOfLane,
  isAmong,
  lastOf,
  lowestId,
  maySend,
  ofConsumer,
} from '../events/queue.ts';

/**
 * Claims events of the consumers in `candidates` (account_id, after, free). Each consumer gets a fair share, so that
 * thousands of events of one do not delay the first event of another. Events of one to which nothing may be sent stay in the
 * queue. Answers with the consumers, how many events of each could be claimed at most, and the claimed events.
 *
 * $1: how many in all; $2: the token.
 *
 * @param lane an SQL condition for the events `q` of one lane
 */
const claimOfCandidates = (lane: string) => `
    share as (
      select greatest(1, $1 / greatest(1, (select count(*) from candidates where free > 0))) as size
    ), asked as (
      select account_id, after, case when ${isPaused} then 0 else least(greatest(free, 0), size) end::integer as most,
        ${maySend('account_id')} as may_send
      from candidates cross join share
    ), picked as (
      select p.event_id from asked a cross join lateral (
        select q.event_id from event_queue q
        where ${lane} and ${ofConsumer('a.account_id', 'a.after')} and (q.claimed_until is null or q.claimed_until <= now())
        order by q.account_id, q.event_id limit case when a.may_send then a.most else 0 end for update skip locked
      ) p limit $1
    ), claimed as (
      update event_queue q set claim_token = $2, claimed_until = 'infinity'
      where ${isAmong('q.event_id', 'select event_id from picked')}
      returning q.event_id, q.account_id, q.generation
    )
    select a.account_id as visited, a.most, a.may_send, c.event_id, c.generation,
      case when c.event_id is not null then (select account_id from consumers where id = c.account_id) end as account_id
    from asked a left join claimed c on c.account_id = a.account_id order by a.account_id`;

/**
 * The candidates are all consumers of a lane after the consumer $3. $4 and $5 are consumers and how many events of each can be
 * taken; $6 is how many of any other consumer.
 */
const claimOfAll = (lane: number, condition: string) => `
    with recursive ${consumersOfLane(lane, '$3')}, candidates as (
      select h.account_id, '${lowestId}'::uuid as after, coalesce(r.room, $6) as free
      from hop h left join unnest($4::uuid[], $5::integer[]) as r (account_id, room) on r.account_id = h.account_id
      where h.account_id is not null
    ), ${claimOfCandidates(condition)}`;

const needsFirst = `q.lane = ${lanes.firstAttempt}`;
const claimFirst = { name: 'claim_first_attempts', text: claimOfAll(lanes.firstAttempt, needsFirst) };

const claimFirstOfKnown = {
  name: 'claim_first_attempts_of',
  text: `
    with candidates as (
      select * from unnest($3::uuid[], $4::uuid[], $5::integer[]) as t (account_id, after, free)
    ), ${claimOfCandidates(needsFirst)}`,
};

const claimWaited = {
  name: 'claim_waited_attempts',
  text: claimOfAll(lanes.pendingStart, `q.lane = ${lanes.pendingStart} and q.direct`),
};

/** The consumers whose events a claim of first attempts may take. */
export type ConsumersToClaim =
  /** The next consumers after the consumer `after` that have events in the queue. */
  | { kind: 'all'; after: string }
  /** These consumers, each from the event after `after` on. */
  | { kind: 'known'; consumers: { id: string; after: string }[] };

/** A claimed event, and whose it is. */
export type ClaimedAttempt = Claimed & AttemptOwner;

/** The result of a claim for first attempts. */
export interface ClaimRound {
  claimed: ClaimedAttempt[];
  /**
   * The consumers that the claim has looked at, the most events of each that it could claim, and whether anything may be sent to
   * it: not while it or its account is disabled or paused.
   */
  visited: { consumerId: string; most: number; maySend: boolean }[];
  /** The consumer after which to continue; null when all of them were looked at. */
  next: string | null;
}

/** How many events of a consumer can be taken: of those that already have some, and of the others. */
export interface Room {
  of: ReadonlyMap<string, number>;
  others: number;
}

/** Claims events that need their first attempt. Claims none while deliveries are paused. */
export async function claimForAttempt(
  sql: Sql,
  options: { scope: ConsumersToClaim; room: Room; limit: number; token: string },
): Promise<ClaimRound> {
  const { scope, room, limit, token } = options;
  if (scope.kind === 'all')
    return roundOfAll(await sql.query<ClaimRow>(claimFirst, valuesOf({ ...options, after: scope.after })));
  const rows = await sql.query<ClaimRow>(claimFirstOfKnown, [
    ...[limit, token],
    scope.consumers.map(({ id }) => id),
    scope.consumers.map(({ after }) => after),
    scope.consumers.map(({ id }) => room.of.get(id) ?? room.others),
  ]);
  return { ...roundOf(rows), next: null };
}

/**
 * Claims events that were due while they could not be sent (src/events/transitions/queued-to-wait.ts), of the consumers after
 * `after`. Claims none while deliveries are paused. A claim that is cut short continues after the last consumer that it served.
 */
export async function claimWaitedForAttempt(sql: Sql, options: ClaimOfAll): Promise<ClaimRound> {
  const round = roundOfAll(await sql.query<ClaimRow>(claimWaited, valuesOf(options)));
  if (round.claimed.length < options.limit) return round;
  return { ...round, next: lastOf(round.claimed.map(({ consumerId }) => consumerId)) };
}

/** A claim that begins with the consumers after `after`. */
interface ClaimOfAll {
  after: string;
  room: Room;
  limit: number;
  token: string;
}

const valuesOf = ({ after, room, limit, token }: ClaimOfAll) => [
  ...[limit, token, after, [...room.of.keys()], [...room.of.values()], room.others],
];

function roundOfAll(rows: ClaimRow[]): ClaimRound {
  const round = roundOf(rows);
  return { ...round, next: round.visited.length >= consumersAClaim ? (rows.at(-1)?.visited ?? null) : null };
}

function roundOf(rows: ClaimRow[]): Omit<ClaimRound, 'next'> {
  const visited = new Map(rows.map((row) => [row.visited, row]));
  return {
    claimed: rows.flatMap(({ event_id, generation, visited: consumerId, account_id }) =>
      event_id === null || generation === null
        ? []
        : [{ eventId: event_id, generation, consumerId, accountId: account_id ?? consumerId }],
    ),
    visited: [...visited].map(([consumerId, { most, may_send: maySend }]) => ({ consumerId, most, maySend })),
  };
}

/** `account_id` is null for the consumer `default` without a row of its own, whose id is that of its account. */
interface ClaimRow {
  visited: string;
  most: number;
  may_send: boolean;
  event_id: string | null;
  generation: number | null;
  account_id: string | null;
}
