import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { migrateOnce } from '../../src/database/migrate.ts';
import { createLog } from '../../src/shared/log.ts';
import { queryOnce } from '../support/one-connection.ts';
import { fill } from './admin/fill.ts';
import type { BackupResult } from './backup/process.ts';
import { BenchProcess } from './calls.ts';
import type { AcknowledgeResult } from './load/acknowledge.ts';
import type { LoadCalls } from './load/main.ts';
import { adminToken, createAccount, startApiProcess, temporaryFolder, temporaryPostgres } from './processes.ts';
import { type BenchResult, ms, percentile } from './report.ts';
import { durability } from './settings.ts';

const days = 30;
const mebibyte = 1024 * 1024;

/** Payloads of one kilobyte of JSON with little repetition. */
const writePayloads = `
  truncate event_payloads;
  insert into event_payloads (event_id, headers, content_type, body)
  select id, '[["content-type","application/json"]]', 'application/json',
    convert_to('{"id":"' || id || '","data":"' || (select string_agg(md5(random()::text || id || n), '') from generate_series(1, 30) n) || '"}', 'UTF8')
  from events`;

/** Measures the time, size and memory of a backup, and its effect on ingestion. */
export async function benchBackup(options: {
  events: number;
  seconds: number;
  connections: number[];
}): Promise<BenchResult> {
  const postgres = await temporaryPostgres();
  const folder = await temporaryFolder();
  await migrateOnce(postgres.url, createLog('warn'));
  console.error(`filling ${options.events} events`);
  await fill(postgres.url, { events: options.events, days });
  await queryOnce(postgres.url, writePayloads);
  await queryOnce(postgres.url, 'vacuum analyze');
  const gateway = await startApiProcess(postgres.url);
  const generator = new BenchProcess<LoadCalls>('load/main.ts');
  try {
    const account = await createAccount(gateway.baseUrl, {});
    const load = (connections: number, seconds: number) =>
      generator.call('acknowledge', { ...account, adminToken, connections, seconds });
    const rows: BenchResult['rows'] = [];
    const ways = options.connections.flatMap((connections) =>
      [false, true].map((encrypted) => ({ connections, encrypted })),
    );
    for (const { connections, encrypted } of ways) {
      const without = await load(connections, options.seconds);
      const backup = runBackup(postgres.url, folder.path, encrypted);
      const results: AcknowledgeResult[] = [];
      let result: BackupResult | null = null;
      void backup.then((done) => {
        result = done;
      });
      // Lasts as long as the backup, and only little longer.
      while (result === null) results.push(await load(connections, 5));
      const { summary, idleRssBytes, peakRssBytes } = await backup;
      rows.push({
        connections,
        encrypted: String(encrypted),
        rows: summary.rows,
        seconds: (summary.durationMs / 1000).toFixed(1),
        MiB: Math.round(summary.sizeBytes / mebibyte),
        'RSS above idle MiB': Math.round((peakRssBytes - idleRssBytes) / mebibyte),
        'acks/s without': Math.round(without.acknowledged / without.seconds),
        'p99 ms without': ms(percentile(without.latenciesMs, 0.99)),
        'acks/s with': Math.round(sum(results.map((r) => r.acknowledged)) / sum(results.map((r) => r.seconds))),
        'p99 ms with': ms(
          percentile(
            results.flatMap((r) => r.latenciesMs),
            0.99,
          ),
        ),
        'not 202': sum(results.map((r) => r.refused)),
      });
    }
    return { settings: { events: String(options.events), ...(await durability(postgres.url)) }, rows };
  } finally {
    await generator.stop();
    await gateway.stop();
    await postgres.stop();
    await folder.remove();
  }
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

async function runBackup(url: string, dir: string, encrypted: boolean): Promise<BackupResult> {
  const program = fileURLToPath(new URL('backup/process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, url, `${dir}/backups`, String(encrypted)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text: Buffer) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the backup ended with code ${code}`);
  return JSON.parse(output);
}
