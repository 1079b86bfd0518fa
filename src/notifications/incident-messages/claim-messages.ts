import { databaseClock } from '../../database/clock.ts';
import { lockKeys } from '../../database/lock-keys.ts';
import type { Sql, Transactions } from '../../database/sql.ts';
import { tryLock } from '../../database/try-lock.ts';
import type { DestinationType } from '../destinations/destination-config.ts';
import type { SealedSettings } from '../destinations/sealed-settings.ts';
import type { ToldIncident } from '../notice.ts';
import { outcomeUnknown } from '../retries.ts';

/** At most two messages about an incident, or about a consumer, in the window: what comes and goes is not news. */
const mostOfOne = 2;

/** How often messages may be sent. */
export interface MessageLimits {
  /** After a message to a chat or e-mail address, the next one to the same waits for this long. */
  gapMs: number;
  /** The window of `mostOfOne` and `burst`. */
  windowMs: number;
  /** The most messages about incidents to a chat or e-mail address in the window; null: as many as `gapMs` allows. */
  burst: number | null;
}

/** Changes of incidents that are sent as one message, claimed for its next try. */
export interface ClaimedMessage {
  /** The id of the message, the same for every try. */
  id: string;
  attempt: number;
  settings: SealedSettings;
  /** As {@link databaseClock}. */
  nowMs: () => number;
  incidents: Omit<ToldIncident, 'dashboardUrl'>[];
}

const findDue = {
  name: 'find_due_incident_message',
  text: `select from incident_messages where status = 'pending' and due_at <= now() limit 1`,
};

/** Reminders of incidents that are not open any more, and messages of accounts that were deleted. */
const endObsolete = {
  name: 'end_due_obsolete_messages',
  text: `
    update incident_messages m set status = 'obsolete', due_at = null
    where m.status = 'pending' and m.due_at <= now() and (
      m.reminder and m.attempts = 0 and not exists (select from incidents i where i.id = m.incident_id and i.state = 'open')
      or exists (select from accounts a where a.id = m.account_id and a.deleted_at is not null))`,
};

/** What was sent to the place of the row `m` in the window. */
const sentThere = `incident_messages s where s.place = m.place and s.sent_at > now() - make_interval(secs => $2)`;

// The lock makes this one statement at a time, so that two workers never send to one place at the same moment. Webhooks
// get each change as a message. Of other places, all that is due is one message, with the id of its first row. `now()` is the same for
// all rows of a message, so that its rows stay together. Locked rows are becoming obsolete, or were just sent.
const claimDue = {
  name: 'claim_incident_messages',
  text: `
    with ready as (
      select m.id, m.place, m.due_at, m.batch_id, m.destination_type = 'webhook' as single
      from incident_messages m
      where m.status = 'pending' and m.due_at <= now() and (m.batch_id is not null or (
        not exists (select from incident_messages e where e.incident_id = m.incident_id and e.destination_id = m.destination_id
          and (e.happened_at, e.id) < (m.happened_at, m.id) and e.status = 'pending')
        and case when m.destination_type = 'webhook' then
          (select count(*) from incident_messages s where s.incident_id = m.incident_id and s.destination_id = m.destination_id
            and s.sent_at > now() - make_interval(secs => $2)) < ${mostOfOne}
        else
          not exists (select from incident_messages u where u.place = m.place and u.sent_at is null and u.batch_id is not null and u.status = 'pending')
          and not exists (select from incident_messages s where s.place = m.place and s.sent_at > now() - make_interval(secs => $1))
          and (select count(distinct s.batch_id) from ${sentThere}) < $3
          and (select count(distinct s.batch_id) from ${sentThere} and s.destination_id = m.destination_id
            and s.incident_kind = m.incident_kind and s.consumer is not distinct from m.consumer) < ${mostOfOne}
        end))
      for update of m skip locked
    ), batches as (
      select id, due_at, single, coalesce(batch_id, case when single then id else first_value(id) over (partition by place, batch_id order by id) end) as batch
      from ready
    ), chosen as (
      select batch from (
        select batch, min(due_at) as due_at, bool_and(single) as single,
          row_number() over (partition by bool_and(single) order by min(due_at)) as place
        from batches group by batch
      ) b where not single or place <= $8 order by due_at limit $4
    )
    update incident_messages m set batch_id = b.batch,
      attempts = m.attempts + (m.attempts < $5)::integer,
      due_at = case when m.attempts < $5 then now() + make_interval(secs => $6) end,
      status = case when m.attempts < $5 then m.status else 'failed' end,
      error = case when m.attempts < $5 then m.error else coalesce(m.error, $7) end
    from batches b join chosen using (batch)
    where m.id = b.id and m.status = 'pending'
    returning m.id, m.batch_id, m.attempts, m.status, m.incident_id, m.incident_kind, m.kind, m.reminder, m.destination_id, m.account_id,
      m.destination_type, m.config, m.provider, m.account_slug, m.app_key, m.consumer, m.cause, m.first_seen_at, m.last_seen_at,
      m.failures::float8 as failures, m.example_event_id, m.happened_at, clock_timestamp() as read_at`,
};

interface Row {
  id: string;
  batch_id: string;
  attempts: number;
  status: string;
  incident_id: string;
  incident_kind: ToldIncident['kind'];
  kind: ToldIncident['type'];
  reminder: boolean;
  destination_id: string;
  account_id: string;
  destination_type: DestinationType;
  config: Buffer;
  provider: string;
  account_slug: string;
  app_key: string;
  consumer: string | null;
  cause: string;
  first_seen_at: Date;
  last_seen_at: Date;
  failures: number;
  example_event_id: string | null;
  happened_at: Date;
  read_at: Date;
}

/** The result of a claim. */
export interface ClaimedMessages {
  claimed: ClaimedMessage[];
  /** The types of the destinations whose messages have failed, because the outcome of their last try is unknown. */
  failed: DestinationType[];
}

const none: ClaimedMessages = { claimed: [], failed: [] };

/**
 * Claims the messages about incidents that have been due for the longest time and may be sent now. Those without a try
 * left fail.
 *
 * @param options.tries the number of tries in total
 * @param options.most the most messages to claim
 * @param options.webhooks the most of them to webhooks
 */
export async function claimMessages(
  database: Transactions,
  options: { tries: number; leaseS: number; most: number; webhooks: number; limits: MessageLimits },
): Promise<ClaimedMessages> {
  if (options.most <= 0 || (await database.query(findDue, [])).length === 0) return none;
  return database.transaction((sql) => claimAlone(sql, options));
}

async function claimAlone(
  sql: Sql,
  { tries, leaseS, most, webhooks, limits: { gapMs, windowMs, burst } }: Parameters<typeof claimMessages>[1],
): Promise<ClaimedMessages> {
  if (!(await tryLock(sql, lockKeys.incidentMessages))) return none;
  await sql.query(endObsolete, []);
  const rows = await sql.query<Row>(claimDue, [
    ...[gapMs / 1000, windowMs / 1000, burst ?? Number.MAX_SAFE_INTEGER, most, tries, leaseS, outcomeUnknown],
    webhooks,
  ]);
  const batches = [...Map.groupBy(rows, ({ batch_id }) => batch_id)];
  return {
    claimed: batches.flatMap(([id, some]) => {
      const [first] = some;
      return first?.status === 'pending' ? [toMessage(id, first, some)] : [];
    }),
    failed: batches.flatMap(([, [first]]) => (first?.status === 'failed' ? [first.destination_type] : [])),
  };
}

function toMessage(id: string, first: Row, rows: Row[]): ClaimedMessage {
  const { destination_id, account_id, destination_type, config } = first;
  // Two destinations of an account may have the same address.
  const changes = new Map(rows.map((row) => [[row.incident_id, row.kind, row.reminder].join(), row]));
  return {
    id,
    attempt: first.attempts,
    settings: { id: destination_id, account_id, destination_type, config },
    nowMs: databaseClock(first.read_at),
    incidents: [...changes.values()]
      .toSorted((a, b) => a.happened_at.getTime() - b.happened_at.getTime() || (a.id < b.id ? -1 : 1))
      .map((row) => ({
        ...{
          id: row.incident_id,
          type: row.kind,
          reminder: row.reminder,
          at: row.happened_at,
          kind: row.incident_kind,
        },
        ...{ account_id: row.account_id, provider: row.provider, account_slug: row.account_slug, app_key: row.app_key },
        ...{ consumer: row.consumer, cause: row.cause, attempts: row.failures },
        ...{ first_seen_at: row.first_seen_at, last_seen_at: row.last_seen_at, example_event_id: row.example_event_id },
      })),
  };
}
