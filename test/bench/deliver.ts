import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import { cpuColumns, cpuTimes } from './cpu.ts';
import { benchFloor } from './floor.ts';
import type { DeliverResult } from './load/deliver.ts';
import {
  adminToken,
  createAccount,
  runLoad,
  startGatewayProcess,
  temporaryFolder,
  temporaryPostgres,
} from './processes.ts';
import { type BenchResult, ms, percentile } from './report.ts';
import { durability, temporalSettings } from './settings.ts';

const connections = 64;
const limitSeconds = 300;
const warmUpEvents = 300;

/** Measures events from POST to consumer, for each value of FIRST_ATTEMPT, at several rates and at full speed. */
export async function benchDeliver(options: {
  modes: string[];
  rates: number[];
  seconds: number;
  events: number;
  workflowEvents: number;
}): Promise<BenchResult> {
  const rows: BenchResult['rows'] = [];
  let settings: Record<string, string> = {};
  if (options.modes.includes('workflow')) {
    const floor = await benchFloor({ workflows: options.workflowEvents });
    rows.push(...floor.rows.map((row) => ({ mode: 'floor', ...row })));
  }
  for (const mode of options.modes) {
    const folder = await temporaryFolder();
    const database = await temporaryPostgres();
    const gateway = await startGatewayProcess('all', {
      DATA_DIR: folder.path,
      DATABASE_URL: database.url,
      FIRST_ATTEMPT: mode,
      LOG_LEVEL: 'warn',
    });
    try {
      const consumerPort = await getPort();
      const account = await createAccount(gateway.baseUrl, {
        delivery_url: `http://127.0.0.1:${consumerPort}/hook`,
        delivery_secret: 'bench-delivery-secret',
      });
      const run = async (events: number, rate: number) => {
        const before = cpuTimes(gateway.pid);
        console.error(`${mode}: ${events} events, ${rate > 0 ? `${rate}/s` : 'flat out'}`);
        let after = before;
        const job = { kind: 'deliver', ...account, consumerPort, events, rate, connections, limitSeconds };
        const result = await runLoad<DeliverResult>(job, () => {
          after = cpuTimes(gateway.pid);
        });
        return { ...result, cpu: cpuColumns(before, after, result.acknowledged) };
      };
      await run(warmUpEvents, 50);
      await workflowsDone(gateway.baseUrl);
      for (const rate of options.rates) {
        rows.push(row(mode, `${rate}/s`, await run(rate * options.seconds, rate)));
        await workflowsDone(gateway.baseUrl);
      }
      rows.push(row(mode, 'flat out', await run(mode === 'workflow' ? options.workflowEvents : options.events, 0)));
      settings = { ...(await durability(database.url)), ...temporalSettings };
    } finally {
      await gateway.stop();
      await database.stop();
      await folder.remove();
    }
  }
  return { settings, rows };
}

function row(
  mode: string,
  pace: string,
  result: DeliverResult & { cpu: Record<string, string> },
): Record<string, string | number> {
  return {
    mode,
    pace,
    events: result.acknowledged,
    'events/s': Math.round(result.latenciesMs.length / result.seconds),
    'p50 ms': ms(percentile(result.latenciesMs, 0.5)),
    'p99 ms': ms(percentile(result.latenciesMs, 0.99)),
    lost: result.lost,
    duplicated: result.duplicated,
    ...result.cpu,
  };
}

/** Waits until all events have their workflows, so that one rate does not slow down the next. */
async function workflowsDone(baseUrl: string): Promise<void> {
  const endMs = Date.now() + limitSeconds * 1000;
  for (let quiet = 0; quiet < 5; ) {
    const response = await fetch(`${baseUrl}/admin/events?status=received&limit=1`, {
      headers: { 'x-admin-token': adminToken },
    });
    quiet = (await response.text()) === '[]' ? quiet + 1 : 0;
    if (Date.now() > endMs) throw new Error('some events have got no workflow');
    await sleep(200);
  }
}
