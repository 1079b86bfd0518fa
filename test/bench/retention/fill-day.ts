import { ensurePartitions } from '../../../src/database/partitions.ts';
import { openDatabase } from '../../../src/roles/open-database.ts';
import { createLog } from '../../../src/shared/log.ts';
import { openClient } from '../../support/one-connection.ts';

/** Rows per statement. */
const eventsAtOnce = 50_000;

// One of a hundred events has failed. The others were delivered by their first attempts.
const insertEvents = `
  insert into events (id, account_id, provider, account_slug, app_key, event_type, external_id, received_at, generation_at, status,
    delivery_status, attempts, scheduled_attempts, started_generation, delivered_at)
  select id, '00000000-0000-7000-8000-000000000001', 'generic', 'slug-' || n % 50, 'app-' || n % 5, 'type.' || n % 20, 'external-' || n, at, at,
    case when n % 100 = 0 then 'failed' else 'enqueued' end, case when n % 100 = 0 then 'failed' else 'delivered' end, 1, 1, 0,
    case when n % 100 > 0 then at + interval '20 milliseconds' end
  from batch`;
const insertPayloads = `
  insert into event_payloads (event_id, headers, content_type, body)
  select id, '[["content-type", "application/json"]]', 'application/json', convert_to(left(repeat(md5(random()::text), 32), 1000), 'UTF8') from batch`;
const insertAttempts = `
  insert into delivery_attempts (event_id, generation, trigger, number, started_at, duration_ms, outcome, response_code)
  select id, 0, 'schedule', 1, at, 5, 'delivered', 200 from batch`;

/** Fills the tables of a day with events of 1 KB, as a gateway would have written them. */
export async function fillDay(url: string, midnight: Date, events: number): Promise<void> {
  const database = await openDatabase({ url, log: createLog('warn') });
  await ensurePartitions(database, midnight, 0);
  await database.close();
  const client = await openClient(url);
  // The statistics are counted once at the end.
  await client.query('set session_replication_role = replica');
  await client.query('set synchronous_commit = off');
  for (let first = 0; first < events; first += eventsAtOnce) {
    await client.query('begin');
    await client.query(
      `create temporary table batch on commit drop as
       select n, at, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(noise, 1, 3) || '8' || substr(noise, 4, 15))::uuid as id
       from (select n, date_trunc('milliseconds', $1::timestamptz + n * interval '1 day' / $2::integer) as at, md5(random()::text || n) as noise
         from generate_series($3::integer, $4::integer) n) t`,
      [midnight, events, first, Math.min(first + eventsAtOnce, events) - 1],
    );
    for (const text of [insertEvents, insertPayloads, insertAttempts]) await client.query(text);
    await client.query('commit');
  }
  await client.query('select recount_events()');
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
}
