import type { Sql } from '../database/sql.ts';

/** What a pause stops: all deliveries, those of an account, or those of one of its consumers. */
export interface PausedOwner {
  accountId: string | null;
  /** For `default`, the id of the account. */
  consumerId: string | null;
}

/** The owner of a pause of all deliveries. */
export const everything: PausedOwner = { accountId: null, consumerId: null };

// A pause that is in force keeps its record. A process of the release before may have ended one without its record.
const beginRecord = {
  name: 'record_pause',
  text: `
    insert into pauses (account_id, consumer_id, since, reason, paused_by) values ($1, $2, $3, $4, $5)
    on conflict (account_id, consumer_id) where ended_at is null
    do update set since = excluded.since, reason = excluded.reason, paused_by = excluded.paused_by
    where pauses.since <> excluded.since`,
};
const endRecord = {
  name: 'record_end_of_pause',
  text: `
    update pauses set ended_at = greatest(since, clock_timestamp()), ended_by = $3
    where ended_at is null and account_id is not distinct from $1 and consumer_id is not distinct from $2`,
};

const readLastEnd = {
  name: 'read_end_of_pause',
  text: `select max(ended_at) as "endedAt" from pauses where account_id = $1 and (consumer_id is null or consumer_id = $2)`,
};

/**
 * Records a pause for the timelines of the events that meet it, in the transaction that begins it.
 *
 * @param pause the pause in force after that; null: none is
 * @param actor null: not known
 */
export async function recordPause(
  sql: Sql,
  owner: PausedOwner,
  pause: { since: string; reason: string | null } | null,
  actor: string | null,
): Promise<void> {
  if (pause) await sql.query(beginRecord, [owner.accountId, owner.consumerId, pause.since, pause.reason, actor]);
}

/** Records who has ended a pause, in the transaction that ends it. Has no effect if none is in force. */
export async function recordEndOfPause(sql: Sql, owner: PausedOwner, actor: string): Promise<void> {
  await sql.query(endRecord, [owner.accountId, owner.consumerId, actor]);
}

/** When the last pause of an account or of this consumer ended; null: none has. A pause of all deliveries does not count. */
export async function lastEndOfPause(
  sql: Sql,
  { accountId, consumerId }: { accountId: string; consumerId: string },
): Promise<Date | null> {
  const [row] = await sql.query<{ endedAt: Date | null }>(readLastEnd, [accountId, consumerId]);
  return row?.endedAt ?? null;
}
