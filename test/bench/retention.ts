import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { migrateOnce } from '../../src/database/migrate.ts';
import { type DayOutcome, dropDay } from '../../src/maintenance/retention/drop-day.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { openClient } from '../support/one-connection.ts';
import { nowMs } from './clock.ts';
import { Poster } from './load/webhooks.ts';
import { createAccount, startApiProcess, temporaryPostgres } from './processes.ts';
import { type BenchResult, ms, percentile } from './report.ts';
import { fillDay } from './retention/fill-day.ts';
import { durability } from './settings.ts';

/** Webhooks a second: a busy gateway below its limit, so that additional waiting is visible. */
const rate = 200;
const connections = 32;
const quietMs = 10_000;
const warmUpMs = 3_000;
const dayMs = 86_400_000;

interface Sent {
  atMs: number;
  tookMs: number;
  status: number;
}

/** Measures the time to drop a day of events, and the latency of webhooks during that. */
export async function benchRetention(options: { events: number }): Promise<BenchResult> {
  const log = createLog('warn');
  const postgres = await temporaryPostgres();
  await migrateOnce(postgres.url, log);
  const midnight = new Date((Math.floor(Date.now() / dayMs) - 40) * dayMs);
  console.error(`filling a day with ${options.events} events`);
  await fillDay(postgres.url, midnight, options.events);
  const gateway = await startApiProcess(postgres.url);
  const database = await openDatabase({ url: postgres.url, log });
  try {
    const load = startLoad({ ...(await createAccount(gateway.baseUrl, {})), connections });
    await sleep(warmUpMs);
    const rows: BenchResult['rows'] = [];
    const measure = async (what: string, work: () => Promise<DayOutcome | null>) => {
      const fromMs = nowMs();
      const outcome = await work();
      const toMs = nowMs();
      // Webhooks in flight at the end have waited too.
      await sleep(1_000);
      const during = load.sent.filter(({ atMs, tookMs }) => atMs < toMs && atMs + tookMs > fromMs);
      const latenciesMs = during.map(({ tookMs }) => tookMs);
      rows.push({
        what,
        day: outcome === null ? '' : outcome.kind === 'kept' ? `kept: ${outcome.reason}` : outcome.kind,
        'took ms': outcome === null ? '' : ms(toMs - fromMs),
        'locked ms': outcome?.kind === 'dropped' ? ms(outcome.lockedMs) : '',
        webhooks: during.length,
        'not 202': during.filter(({ status }) => status !== 202).length,
        'p50 ms': ms(percentile(latenciesMs, 0.5)),
        'p99 ms': ms(percentile(latenciesMs, 0.99)),
        'max ms': ms(Math.max(...latenciesMs)),
      });
    };
    const quiet = async () => {
      await sleep(quietMs);
      return null;
    };
    await measure('nothing', quiet);
    const reader = await readEverything(postgres.url);
    await measure('tries while a reader has just begun', () => dropDay(database, midnight));
    await measure('tries while a reader reads on', () => dropDay(database, midnight));
    await reader.end();
    await measure('nothing', quiet);
    await measure('the drop', () => dropDay(database, midnight));
    await load.stop();
    const settings = { events: String(options.events), 'webhooks a second': String(rate) };
    return { settings: { ...settings, ...(await durability(postgres.url)) }, rows };
  } finally {
    await database.close();
    await gateway.stop();
    await postgres.stop();
  }
}

/** Posts at a steady rate, independent of the latency of answers. */
function startLoad(account: { url: string; secret: string; connections: number }) {
  const poster = new Poster({ targets: [account], connections: account.connections });
  const run = Date.now().toString(36);
  const sent: Sent[] = [];
  const open = new Set<Promise<void>>();
  let stopped = false;
  const post = async (n: number) => {
    const atMs = nowMs();
    const status = await poster.post(run, n);
    sent.push({ atMs, tookMs: nowMs() - atMs, status });
  };
  const sending = (async () => {
    const startedMs = nowMs();
    for (let n = 0; !stopped; n++) {
      await sleep(Math.max(0, startedMs + (n * 1000) / rate - nowMs()));
      const one: Promise<void> = post(n).finally(() => open.delete(one));
      open.add(one);
    }
  })();
  return {
    sent,
    async stop() {
      stopped = true;
      await sending;
      await Promise.all(open);
      await poster.close();
    },
  };
}

/** Reads all tables in one snapshot, which stays open like that of a backup. */
async function readEverything(url: string): Promise<pg.Client> {
  const client = await openClient(url);
  await client.query('begin isolation level repeatable read');
  for (const table of ['events', 'event_payloads', 'delivery_attempts', 'notifications'])
    await client.query(`lock table ${table} in access share mode`);
  return client;
}
