import { migrateOnce } from '../../src/database/migrate.ts';
import { applyWaitingReplays } from '../../src/events/transitions/replayed.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { openClient } from '../support/one-connection.ts';
import { adminCalls } from './admin/calls.ts';
import { fill } from './admin/fill.ts';
import { adminToken, startApiProcess, temporaryPostgres } from './processes.ts';
import { type BenchResult, ms, percentile } from './report.ts';
import { durability } from './settings.ts';

/** Deep enough to show the cost of a list that reads the rows it skips. */
const deepOffset = 100_000;
const replayedEvents = 100_000;
/** Calls that fill caches and open connections, and are not counted. */
const warmUpRequests = 5;

/** Measures lists, filters and statistics over a large table, and the replay of all failed events. */
export async function benchAdmin(options: {
  events: number;
  days: number;
  requests: number;
  connections: number;
}): Promise<BenchResult> {
  const postgres = await temporaryPostgres();
  await migrateOnce(postgres.url, createLog('warn'));
  console.error(`filling ${options.events} events over ${options.days} days`);
  await fill(postgres.url, options);
  const gateway = await startApiProcess(postgres.url);
  try {
    const offset = Math.min(deepOffset, Math.floor(options.events / 2));
    const [deep] = await json<{ id: string }[]>(`${gateway.baseUrl}/admin/events?limit=1&offset=${offset}`);
    const ofMost = `${gateway.baseUrl}/admin/incidents?account_slug=slug-0&limit=1`;
    const [incident] = await json<{ id: string }[]>(ofMost);
    const place = { offset, cursor: deep?.id ?? '', incident: incident?.id ?? '' };
    const calls = adminCalls({ days: options.days, ...place });
    const rows: BenchResult['rows'] = [];
    for (const { name, path } of calls) {
      const url = `${gateway.baseUrl}${path}`;
      await timed(url, warmUpRequests, 1);
      const latenciesMs = await timed(url, options.requests, options.connections);
      const answer = await json<unknown>(url);
      rows.push({
        call: name,
        rows: Array.isArray(answer) ? answer.length : '',
        'p50 ms': ms(percentile(latenciesMs, 0.5)),
        'p99 ms': ms(percentile(latenciesMs, 0.99)),
      });
    }
    const failed = await failEvents(postgres.url, Math.min(replayedEvents, Math.floor(options.events / 4)));
    rows.push({ call: 'replay-failed', ...(await replayAll(gateway.baseUrl, failed)) });
    rows.push({ call: 'what a worker then does', ...(await carryOut(postgres.url)) });
    const settings = {
      events: String(options.events),
      days: String(options.days),
      connections: String(options.connections),
    };
    return { settings: { ...settings, ...(await durability(postgres.url)) }, rows };
  } finally {
    await gateway.stop();
    await postgres.stop();
  }
}

/** Measures one call. If it fails, the earlier results are still reported. */
async function replayAll(baseUrl: string, failed: number): Promise<Record<string, string | number>> {
  const startedMs = performance.now();
  try {
    const { replayed } = await json<{ replayed: number }>(`${baseUrl}/admin/events/replay-failed`, 'POST');
    if (replayed !== failed) throw new Error(`replayed ${replayed} of ${failed} events`);
    return { rows: replayed, 'p50 ms': ms(performance.now() - startedMs) };
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
    return { rows: failed, 'p50 ms': 'failed' };
  }
}

/** Carries out, as one worker, the replays that the call has requested. */
async function carryOut(url: string): Promise<Record<string, string | number>> {
  const database = await openDatabase({ url, log: createLog('warn') });
  try {
    const startedMs = performance.now();
    while (await applyWaitingReplays(database));
    const durationMs = performance.now() - startedMs;
    const text = 'select count(*)::integer as n from events where generation = 1';
    const [row] = await database.query<{ n: number }>({ name: '', text }, []);
    return { rows: row?.n ?? 0, 'p50 ms': ms(durationMs) };
  } finally {
    await database.close();
  }
}

async function timed(url: string, requests: number, connections: number): Promise<number[]> {
  const latenciesMs: number[] = [];
  let left = requests;
  const connection = async () => {
    while (left-- > 0) {
      const startedMs = performance.now();
      await answered(url, 'GET');
      latenciesMs.push(performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return latenciesMs;
}

/** The body of an answer; anything but 200 and 202 ends the benchmark. */
async function answered(url: string, method: string): Promise<string> {
  const response = await fetch(url, { method, headers: { 'x-admin-token': adminToken } });
  const body = await response.text();
  if (response.status !== 200 && response.status !== 202)
    throw new Error(`${method} ${url}: ${response.status} ${body}`);
  return body;
}

const json = async <T>(url: string, method = 'GET'): Promise<T> => JSON.parse(await answered(url, method));

/**
 * Marks the newest delivered events as failed, as in an outage of consumers, until `wanted` events have failed.
 *
 * @returns the number of failed events
 */
async function failEvents(url: string, wanted: number): Promise<number> {
  const failed = `rejection_reason is null and state not in ('dead', 'processed') and (undelivered or state = 'failed')`;
  const client = await openClient(url);
  await client.query(
    `update events set status = 'failed', delivery_status = 'failed', attempts = 10, delivered_at = null, last_error = 'the consumer answered 500'
     where id in (
       select id from events where state in ('open', 'processed') and delivery_status = 'delivered' order by id desc
       limit (select greatest(0, $1 - count(*)) from events where ${failed}))`,
    [wanted],
  );
  // As autovacuum would have done before operators replay events after an outage.
  await client.query('vacuum analyze events');
  const { rows } = await client.query<{ n: number }>(`select count(*)::integer as n from events where ${failed}`);
  await client.end();
  return rows[0]?.n ?? 0;
}
