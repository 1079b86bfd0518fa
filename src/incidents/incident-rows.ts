import type { z } from 'zod';
import type { Sql } from '../database/sql.ts';
import { failing } from '../events/of-incident.ts';
import type { IncidentKind, IncidentState } from './incident.ts';
import { type incident, type incidentItem, mostCounted, type ShownState } from './incident-schemas.ts';
import { lowestId } from './judging/owner.ts';

/** An incident with the names of its account and its consumer. */
export interface IncidentRow {
  id: string;
  kind: IncidentKind;
  state: IncidentState;
  account_id: string | null;
  provider: string | null;
  account_slug: string | null;
  app_key: string | null;
  consumer: string | null;
  cause: string;
  first_seen_at: Date;
  last_seen_at: Date;
  attempts: number;
  example_event_id: string | null;
  acknowledged_by: string | null;
  acknowledged_at: Date | null;
  resolved_by: string | null;
  resolved_at: Date | null;
  reopened_at: Date | null;
  note: string | null;
  account_paused_since: Date | null;
  account_pause_reason: string | null;
  consumer_paused_since: Date | null;
  consumer_pause_reason: string | null;
}

/** The columns of `IncidentRow`, for a statement with `fromIncidents`. */
export const incidentColumns = `i.id, i.kind, i.state, i.account_id, a.provider, a.account_slug::text as account_slug, a.app_key::text as app_key,
  case when i.kind = 'delivery' then coalesce(c.name, 'default') end as consumer, i.cause, i.first_seen_at, i.last_seen_at,
  i.attempts::double precision as attempts, i.example_event_id, i.acknowledged_by, i.acknowledged_at, i.resolved_by, i.resolved_at,
  i.reopened_at, i.note, a.paused_since as account_paused_since, a.pause_reason as account_pause_reason,
  c.paused_since as consumer_paused_since, c.pause_reason as consumer_pause_reason`;

/** The row of the consumer `default` has the id of its account, and may be missing. */
const withNames = `left join accounts a on a.id = i.account_id
  left join consumers c on i.kind = 'delivery' and c.id = coalesce(i.consumer_id, i.account_id)`;

/** Incidents with their names. */
export const fromIncidents = `from incidents i ${withNames}`;

/** The failing events `e` of the incident `i`. */
export const failingEvents = `
  from events e where ${failing}
    and coalesce(e.consumer_id, e.account_id) = coalesce(i.consumer_id, i.account_id)
    and e.id >= coalesce(i.oldest_event_id, ${lowestId('i.first_seen_at')})
    and e.id < coalesce(${lowestId('i.resolved_at')}, 'ffffffff-ffff-ffff-ffff-ffffffffffff')`;

const countsOf = `
  (select count(*)::integer from (select 1 ${failingEvents} and e.undelivered is null limit ${mostCounted}) w) as waiting,
  (select count(*)::integer from (select 1 ${failingEvents} and e.undelivered limit ${mostCounted}) x) as exhausted`;

type Counted = IncidentRow & { waiting: number | null; exhausted: number | null };

// The states that are not resolved have an index of their own, so a list of them reads no others. Several causes of a
// consumer often have the same events, which are counted once. `finished_at` is set up to a minute after the last event is
// over, so the list looks for events before it applies its limit.
const listRows = {
  name: '',
  text: `
    with listed as materialized (
      select *, case when oldest_event_id is null then first_seen_at end as counted_since from incidents i
      where ($1::text[] is null or state = any($1) or (
          $2 and state = 'resolved' and kind = 'delivery' and resolved_by is null and finished_at is null and exists (select ${failingEvents})
        ))
        and ($3::text is null or kind = $3) and ($4::uuid is null or account_id = $4)
        and ($5::text is null or account_id in (select id from accounts where account_slug = $5))
        and ($6::text is null or (kind = 'delivery' and
          coalesce((select name from consumers where id = coalesce(consumer_id, account_id)), 'default') = $6))
        and ($8::uuid[] is null or account_id = any($8))
      order by id desc limit $7
    ), n as (
      select i.*, ${countsOf} from (
        select distinct account_id, consumer_id, oldest_event_id, counted_since as first_seen_at, resolved_at from listed where kind = 'delivery'
      ) i
    )
    select ${incidentColumns}, n.waiting, n.exhausted
    from listed i ${withNames} left join n on i.kind = 'delivery' and n.account_id = i.account_id
      and (n.consumer_id, n.oldest_event_id, n.first_seen_at, n.resolved_at)
        is not distinct from (i.consumer_id, i.oldest_event_id, i.counted_since, i.resolved_at)
    order by i.id desc`,
};

/** Lists incidents, newest first; `accountIds`: only of these accounts. Use `database.reader`, whose plans are made for the actual values. */
export function listIncidents(
  sql: Sql,
  filter: {
    state?: readonly ShownState[] | undefined;
    kind?: IncidentKind | undefined;
    account_id?: string | undefined;
    account_slug?: string | undefined;
    consumer?: string | undefined;
    accountIds?: readonly string[] | null;
    limit: number;
  },
): Promise<Counted[]> {
  const { state, kind, account_id, account_slug, consumer, accountIds = null, limit } = filter;
  return sql.query<Counted>(listRows, [
    ...[state?.filter((one) => one !== 'unfinished') ?? null, state?.includes('unfinished') ?? false],
    ...[kind ?? null, account_id ?? null, account_slug ?? null, consumer ?? null, limit],
    accountIds,
  ]);
}

const readRow = {
  name: '',
  text: `
    select ${incidentColumns}, n.waiting, n.exhausted
    ${fromIncidents} left join lateral (select ${countsOf}) n on i.kind = 'delivery' where i.id = $1`,
};

export async function readIncident(sql: Sql, id: string): Promise<Counted | null> {
  return (await sql.query<Counted>(readRow, [id]))[0] ?? null;
}

const countOpen = {
  name: 'count_open_incidents',
  text: `select kind, count(*)::integer as n from incidents where state <> 'resolved' group by kind`,
};

/** Counts the incidents that are not resolved, by their kind. Reads an index of them, of at most 1,000 entries. */
export async function countOpenIncidents(sql: Sql): Promise<Record<IncidentKind, number>> {
  const rows = await sql.query<{ kind: IncidentKind; n: number }>(countOpen, []);
  const of = new Map(rows.map(({ kind, n }) => [kind, n]));
  return {
    ...{ delivery: of.get('delivery') ?? 0, rejections: of.get('rejections') ?? 0, gateway: of.get('gateway') ?? 0 },
  };
}

const iso = (at: Date | null) => at?.toISOString() ?? null;

function pauseOf(row: IncidentRow): z.infer<typeof incidentItem>['paused'] {
  const pause = (by: 'account' | 'consumer', since: Date, reason: string | null) => ({
    ...{ by, since: since.toISOString(), reason },
  });
  if (row.consumer_paused_since) return pause('consumer', row.consumer_paused_since, row.consumer_pause_reason);
  return row.account_paused_since ? pause('account', row.account_paused_since, row.account_pause_reason) : null;
}

/** The incident in the form of the admin API, without its events; times are ISO 8601. */
export function incidentView(row: IncidentRow): z.infer<typeof incidentItem> {
  const { id, kind, state, account_id, provider, account_slug, app_key, consumer, cause, attempts } = row;
  const { example_event_id, acknowledged_by, resolved_by, note } = row;
  return {
    ...{ id, kind, state, account_id, provider, account_slug, app_key, consumer, cause },
    first_seen_at: row.first_seen_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    ...{ attempts, example_event_id },
    ...{ acknowledged_by, acknowledged_at: iso(row.acknowledged_at) },
    ...{ resolved_by, resolved_at: iso(row.resolved_at), reopened_at: iso(row.reopened_at) },
    ...{ note, paused: pauseOf(row) },
  };
}

/** The incident with the numbers of its failing events. */
export const countedView = (row: Counted): z.infer<typeof incident> => ({
  ...incidentView(row),
  ...{ waiting: row.waiting, exhausted: row.exhausted },
});
