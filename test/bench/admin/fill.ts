import { ensurePartitions } from '../../../src/database/partitions.ts';
import { openDatabase } from '../../../src/roles/open-database.ts';
import { createLog } from '../../../src/shared/log.ts';
import { openClient } from '../../support/one-connection.ts';

const dayMs = 86_400_000;
const accounts = 200;
/** Rare values. Each has one event, of a separate account, at two thirds of the table. */
export const rare = {
  provider: 'rare',
  app_key: 'app-rare',
  account_slug: 'slug-rare',
  event_type: 'type.rare',
  external_id: 'rare',
};

// Five providers, twenty apps, 200 accounts. The first of each have the most events.
const insertAccounts = `
  insert into accounts (id, provider, account_slug, app_key, created_at, updated_at)
  select gen_random_uuid(), (array['generic', 'support_chat', 'payments', 'mail', 'calls'])[1 + n % 5], 'slug-' || n, 'app-' || n % 20, now(), now()
  from generate_series(0, ${accounts - 1}) n
  union all
  select gen_random_uuid(), '${rare.provider}', '${rare.account_slug}', '${rare.app_key}', now(), now()`;

/**
 * $1: a day, $2: the number of events. Of 200 events 193 are delivered (a third of them acknowledged), two are
 * rejected, two have failed, two were marked failed or dead, one is pending.
 */
const insertDay = `
  create temporary table day on commit drop as
  select
    (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(noise, 1, 3) || '8' || substr(noise, 4, 15))::uuid as id,
    a.id as account_id, a.provider, a.account_slug, a.app_key,
    case when $4 and n = 0 then '${rare.event_type}' else 'type.' || floor(60 * power(random(), 3)) end as event_type,
    case when $4 and n = 0 then '${rare.external_id}' else 'external-' || substr(noise, 20) || n end as external_id,
    date_trunc('milliseconds', at) as received_at, dice,
    case when dice < 0.005 then 1 + floor(random() * 9)::integer when dice < 0.015 then 10 when dice < 0.025 then 0 else 1 end as attempts,
    random() as latency_s
  from (
    select n, $1::timestamptz + (n + random()) * interval '1 day' * $3 / $2 as at, md5(random()::text || n) as noise, random() as dice,
      floor(${accounts} * power(random(), 2)) as place
    from generate_series(0, $2::integer - 1) n
  ) t
  join (select *, row_number() over (order by account_slug = '${rare.account_slug}', length(account_slug), account_slug) - 1 as place from accounts) a
    on a.place = case when $4 and n = 0 then ${accounts} else t.place end`;

const insertEvents = `
  insert into events (id, account_id, provider, account_slug, app_key, event_type, external_id, received_at, generation_at, status,
    delivery_status, rejection_reason, attempts, scheduled_attempts, started_generation, last_error, response_code, delivered_at, next_attempt_at)
  select id, account_id, provider, account_slug, app_key, event_type, external_id, received_at, received_at,
    case when dice < 0.001 then 'received' when dice < 0.005 then 'enqueued' when dice < 0.015 then 'failed' when dice < 0.025 then 'rejected'
         when dice < 0.03 then 'dead' when dice < 0.035 then 'failed' when dice < 0.35 then 'processed' else 'enqueued' end,
    case when dice < 0.005 then 'pending' when dice < 0.015 then 'failed' when dice < 0.025 then null when dice < 0.03 then 'failed' else 'delivered' end,
    case when dice >= 0.015 and dice < 0.025 then 'signature' end,
    case when dice < 0.001 then 0 else attempts end, case when dice < 0.001 then 0 else attempts end, case when dice < 0.001 then -1 else 0 end,
    case when dice < 0.015 then 'the consumer answered 500' end, case when dice < 0.015 then 500 else 200 end,
    case when dice >= 0.03 then received_at + latency_s * interval '1 second' end,
    case when dice >= 0.001 and dice < 0.005 then now() + interval '1 hour' end
  from day`;
const insertPayloads = `insert into event_payloads (event_id, headers, content_type, body) select id, '[]', 'application/json', '{}' from day`;
const insertAttempts = `
  insert into delivery_attempts (event_id, generation, trigger, number, started_at, duration_ms, outcome, response_code)
  select id, 0, 'schedule', number, received_at + number * interval '1 second', 5, case when dice < 0.015 then 'http_error' else 'delivered' end,
    case when dice < 0.015 then 500 else 200 end
  from day cross join lateral generate_series(1, attempts) number where dice >= 0.001`;
const insertQueue = `insert into event_queue (event_id, account_id, generation, lane) select id, account_id, 0, 0 from day where dice < 0.001`;

/** As many as may be open: five causes of each account, since the first event. */
const insertIncidents = `
  insert into incidents (id, kind, account_id, cause, first_seen_at, last_seen_at, attempts, oldest_event_id)
  select gen_random_uuid(), 'delivery', a.id, '500 cause ' || n, now(), now(), 100, (select id from events order by id limit 1)
  from accounts a cross join generate_series(1, 5) n where a.account_slug <> '${rare.account_slug}'`;

/** Fills the tables of a migrated database with events of the last days, as a gateway would have written them. */
export async function fill(url: string, options: { events: number; days: number }): Promise<void> {
  const database = await openDatabase({ url, log: createLog('warn') });
  const now = Date.now();
  const today = Math.floor(now / dayMs) * dayMs;
  await ensurePartitions(database, new Date(today - options.days * dayMs), options.days);
  await database.close();
  const client = await openClient(url);
  // The statistics are counted once at the end.
  await client.query(`set session_replication_role = replica`);
  await client.query(`set synchronous_commit = off`);
  await client.query(insertAccounts);
  const events = Math.ceil(options.events / options.days);
  for (let back = options.days - 1; back >= 0; back--) {
    const day = new Date(today - back * dayMs);
    // Today has only events until now.
    const share = back === 0 ? (now - today) / dayMs : 1;
    const withRare = back === Math.floor((options.days * 2) / 3);
    await client.query('begin');
    await client.query(insertDay, [day, events, share, withRare]);
    for (const text of [insertEvents, insertPayloads, insertAttempts, insertQueue]) await client.query(text);
    await client.query('commit');
  }
  await client.query(insertIncidents);
  await client.query('select recount_events()');
  await client.query('vacuum analyze');
  await client.end();
}
