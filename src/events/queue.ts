/** An event that this process has claimed. It still needs its first attempt, its workflow, or both. */
export interface Claimed {
  eventId: string;
  generation: number;
}

/** Identifies a claim on an event. `token` is that of the process that holds the claim. */
export interface ClaimName {
  eventId: string;
  generation: number;
  token: string;
}

export interface ClaimedRow {
  event_id: string;
  generation: number;
}

/** Consumers per claim: bounds the cost of a claim. The next claim continues after the last one. */
export const consumersAClaim = 64;

/**
 * The consumers of a lane after the consumer `after`, by a loose index scan: one index lookup for each, even if it has
 * thousands of events. At most `most` of them. The column `account_id` of the queue is the id of the consumer; for `default`, that of the account.
 */
export const consumersOfLane = (lane: string | number, after: string, most = consumersAClaim) => `hop as (
      (select account_id, 1 as n from event_queue where lane = ${lane} and account_id > ${after} order by account_id limit 1)
      union all
      select (select q.account_id from event_queue q where q.lane = ${lane} and q.account_id > hop.account_id order by q.account_id limit 1), hop.n + 1
      from hop where hop.account_id is not null and hop.n < ${most}
    )`;

/**
 * Whether events of this consumer may be sent: those of a disabled or paused one, or of such an account, wait in the
 * queue. Those of a deleted one are claimed, because what claims them ends their delivery. A scalar subselect, because
 * PostgreSQL joins what `exists` reads, and then no longer takes the events in the order of the index.
 *
 * @param consumer an SQL expression: the id of the consumer; for `default`, that of the account
 */
export const maySend = (consumer: string) =>
  `(select owner.deleted_at is not null or own.deleted_at is not null
        or (owner.enabled and owner.paused_since is null and coalesce(own.enabled and own.paused_since is null, true))
      from (values (${consumer})) as asked (id) left join consumers own on own.id = asked.id
        join accounts owner on owner.id = coalesce(own.account_id, asked.id))`;

/** The ids of the consumers whose events wait, as a subquery: those for which `maySend` is false. */
export const waitingConsumers = `select id from accounts where deleted_at is null and (not enabled or paused_since is not null)
    union all
    select own.id from consumers own join accounts owner on owner.id = own.account_id where own.deleted_at is null and owner.deleted_at is null
      and not (owner.enabled and owner.paused_since is null and own.enabled and own.paused_since is null)`;

/**
 * Whether a row's id is among the few that a subquery has picked. PostgreSQL plans each statement once, and expects a tenth of
 * the table of a subquery with a limit: it would join by reading the whole index. It expects ten ids of an array.
 */
export const isAmong = (id: string, picked: string) => `${id} = any(array(${picked}))`;

/** The last of these ids, as PostgreSQL orders them. */
export const lastOf = (ids: readonly string[]): string | null => ids.toSorted().at(-1) ?? null;

/** Sorts before every UUID: before the first consumer, or before the first event of one. */
export const lowestId = '00000000-0000-0000-0000-000000000000';
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * The events of a consumer in the queue `q` after the event `after`; they have to be ordered by consumer and event. Only
 * the index of a lane has this range and this order. With `account_id = …`, PostgreSQL would also consider the primary
 * key: after a vacuum of the nearly empty table it did, and walked all that was in the queue for each of them.
 */
export const ofConsumer = (consumer: string, after: string) =>
  `(q.account_id, q.event_id) > (${consumer}, ${after}) and (q.account_id, q.event_id) < (${consumer}, '${highestId}'::uuid)`;

export const toClaimed = (row: ClaimedRow): Claimed => ({
  eventId: row.event_id,
  generation: row.generation,
});
