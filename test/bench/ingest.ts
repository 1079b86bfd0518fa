import { migrateOnce } from '../../src/database/migrate.ts';
import { createLog } from '../../src/shared/log.ts';
import { sampleOf } from '../support/providers/webhook.ts';
import { BenchProcess } from './calls.ts';
import { cpuColumns, cpuTimes } from './cpu.ts';
import { warmUpSeconds } from './load/acknowledge.ts';
import type { LoadCalls } from './load/main.ts';
import { adminToken, createAccount, startApiProcess, temporaryPostgres } from './processes.ts';
import { type BenchResult, ms, percentile } from './report.ts';
import { durability } from './settings.ts';
import { verificationMs } from './verify.ts';

/**
 * Measures how fast one `api` process acknowledges webhooks of 1 KB, which it verifies, deduplicates and commits, and the
 * cost of verification alone. The sender signs during the run, so compare providers by the CPU time of the gateway.
 */
export async function benchIngest(options: {
  seconds: number;
  connections: number[];
  providers: string[];
}): Promise<BenchResult> {
  const log = createLog('warn');
  const postgres = await temporaryPostgres();
  await migrateOnce(postgres.url, log);
  const gateway = await startApiProcess(postgres.url);
  const load = new BenchProcess<LoadCalls>('load/main.ts');
  try {
    const rows: BenchResult['rows'] = [];
    for (const provider of options.providers) await measure(provider, rows);
    return { settings: await durability(postgres.url), rows };
  } finally {
    await load.stop();
    await gateway.stop();
    await postgres.stop();
  }

  async function measure(provider: string, rows: BenchResult['rows']): Promise<void> {
    const account = await createAccount(gateway.baseUrl, { provider, provider_config: sampleOf(provider).config });
    const verifyMs = await verificationMs(provider);
    for (const connections of options.connections) {
      const before = cpuTimes(gateway.pids);
      const result = await load.call('acknowledge', {
        ...{ ...account, adminToken, provider },
        connections,
        seconds: options.seconds,
      });
      // The warm-up runs at the same rate, so its events count too.
      const events = (result.acknowledged * (options.seconds + warmUpSeconds)) / options.seconds;
      rows.push({
        provider,
        'verify ms': verifyMs.toFixed(3),
        connections,
        'acks/s': Math.round(result.acknowledged / result.seconds),
        'p50 ms': ms(percentile(result.latenciesMs, 0.5)),
        'p99 ms': ms(percentile(result.latenciesMs, 0.99)),
        'not taken': result.refused,
        ...cpuColumns(before, cpuTimes(gateway.pids), events),
      });
    }
  }
}
