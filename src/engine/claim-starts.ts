import type { Sql } from '../database/sql.ts';
import { lanes } from '../events/lanes.ts';
import { isPaused } from '../events/pause.ts';
import {
  type Claimed,
  type ClaimedRow,
  consumersAClaim,
  consumersOfLane,
  isAmong,
  lastOf,
  lowestId,
  maySend,
  ofConsumer,
  toClaimed,
} from '../events/queue.ts';

// Claims of events that need no first attempt, but their workflow.

type RoundRow = { hops: number; last_account: string | null; account_id: string } & Omit<ClaimedRow, 'event_id'> & {
    event_id: string | null;
  };

// An event whose next attempt an api could make (`direct`) waits for its workflow from now on, and no api takes it: the workflow
// may run although the answer of Temporal is lost.
const claimPendingStarts = {
  name: 'claim_pending_starts',
  text: `
    with recursive ${consumersOfLane(lanes.pendingStart, '$1')}, looked_at as (
      select account_id from hop where account_id is not null
    ), candidates as (
      select account_id from looked_at where not ${isPaused} and ${maySend('looked_at.account_id')}
    ), share as (
      select greatest(1, $2 / greatest(1, (select count(*) from candidates))) as size
    ), picked as (
      select p.event_id from candidates a cross join share s cross join lateral (
        select q.event_id from event_queue q
        where q.lane = ${lanes.pendingStart} and (not q.direct or $4) and ${ofConsumer('a.account_id', `'${lowestId}'::uuid`)} and (q.claimed_until is null or q.claimed_until <= now())
        order by q.account_id, q.event_id limit s.size for update skip locked
      ) p limit $2
    ), claimed as (
      update event_queue q set claim_token = $3, claimed_until = 'infinity', direct = false,
        lane_since = case when q.direct then now() else q.lane_since end
      where ${isAmong('q.event_id', 'select event_id from picked')}
      returning q.event_id, q.account_id, q.generation
    )
    select l.hops, l.last_account, c.* from (
      select count(*)::integer as hops, (select account_id from looked_at order by account_id desc limit 1) as last_account from looked_at
    ) l left join claimed c on true`,
};

/**
 * Claims pending events whose workflow was not started yet, round-robin over the consumers after `after`. None while
 * deliveries are paused, and none of a disabled consumer: their workflows could only wait.
 *
 * @param options `waited`: also those whose next attempt an api would make, if there was one
 */
export async function claimPendingForStart(sql: Sql, options: StartClaim & { waited: boolean }): Promise<Round> {
  const { after, limit, token, waited } = options;
  return toRound(await sql.query<RoundRow>(claimPendingStarts, [after, limit, token, waited]), limit);
}

const textOfSettled = (condition: string) => `
    with picked as (
      select q.event_id from event_queue q
      where q.lane = ${lanes.settledStart} and q.event_id > $1 and (q.claimed_until is null or q.claimed_until <= now()) ${condition}
      order by q.event_id limit $2 for update skip locked
    )
    update event_queue q set claim_token = $3, claimed_until = 'infinity'
    where ${isAmong('q.event_id', 'select event_id from picked')}
    returning q.event_id, q.generation`;

const claimSettledStarts = { name: 'claim_settled_starts', text: textOfSettled('') };

const claimStartsToNotify = {
  name: 'claim_starts_to_notify',
  text: textOfSettled(
    `and exists (select from notifications n where n.event_id = q.event_id and n.status = 'pending')`,
  ),
};

/**
 * Claims settled events whose workflow was not started yet, oldest first, those after the event `after`.
 *
 * @param options `all`: also those without notifications to send
 */
export async function claimSettledForStart(sql: Sql, options: StartClaim & { all: boolean }): Promise<Round> {
  const { after, limit, token, all } = options;
  const rows = await (all
    ? sql.query<ClaimedRow>(claimSettledStarts, [after, limit, token])
    : sql.query<ClaimedRow>(claimStartsToNotify, [after, limit, token]));
  const claimed = rows.map(toClaimed).sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
  return { claimed, next: claimed.length === limit ? (claimed.at(-1)?.eventId ?? null) : null };
}

/** Where a claim of starts begins, how many events it takes at most, and its token. */
interface StartClaim {
  after: string;
  limit: number;
  token: string;
}

/** The result of one claim, and the consumer or event after which to continue; null when the round is complete. */
export interface Round {
  claimed: Claimed[];
  next: string | null;
}

/** Where the limit has ended the round, the next claim continues after the last consumer that was served. */
function toRound(rows: RoundRow[], limit: number): Round {
  const [first] = rows;
  const claimed = rows.flatMap((row) => (row.event_id === null ? [] : [toClaimed({ ...row, event_id: row.event_id })]));
  if (claimed.length === limit) return { claimed, next: lastOf(rows.map(({ account_id }) => account_id)) };
  return { claimed, next: first && first.hops >= consumersAClaim ? first.last_account : null };
}
