import { parseArgs } from 'node:util';
import { z } from 'zod';
import { openDataDir } from '../../src/embedded/data-dir.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { startTemporal } from '../../src/embedded/temporal.ts';
import { createLog } from '../../src/shared/log.ts';
import { ownFolder } from '../faults/ground.ts';
import { queryOnce } from '../support/one-connection.ts';
import { temporalProgram } from '../support/temporal-program.ts';
import type { Report } from './report.ts';
import { roll } from './roll.ts';

/** The most that the replacement of a process may delay an event. */
const longestDelayMs = 2_000;
/**
 * The most of a retry whose task a stopping worker has dropped: it had received the task and not begun it. Temporal gives
 * such a task out again after its time limit of 10 s. At most one retry in a hundred may be later than `longestDelayMs`.
 */
const longestDroppedMs = 10_000 + longestDelayMs;

const { values } = parseArgs({
  options: {
    /** Webhooks per second. */
    rate: { type: 'string', default: '200' },
    /** Seconds of load before, between and after the replacements. */
    quiet: { type: 'string', default: '3' },
    /** The first attempt of one in so many webhooks fails, and waits in a workflow. */
    'flaky-every': { type: 'string', default: '50' },
    /** EVENT_WORKFLOWS. Two cores start about 45 workflows a second, so `always` needs a lower rate. */
    workflows: { type: 'string', default: 'on_retry' },
    /** Keeps the folder with the logs of all processes. */
    keep: { type: 'boolean', default: false },
  },
});

const { folder, remove } = ownFolder('gateway-upgrade-');
const log = createLog('warn');
const progress = (line: string) => console.log(`${new Date().toISOString()}  ${line}`);
const program = await temporalProgram(progress);
const dataDir = openDataDir(`${folder}/data`);
const postgres = await startPostgres({ dataDir, log, onProgress: progress });
const server = { dataDir, program, namespace: 'default', uiPort: 28_234, retentionHours: 72 };
const temporal = await startTemporal({ ...server, log });
let mistakes: string[] = ['the run did not end'];
try {
  const report = await roll({
    ...{
      folder,
      databaseUrl: postgres.url,
      temporalAddress: temporal.address,
      compileCache: `${folder}/compile-cache`,
    },
    ...{
      rate: Number(values.rate),
      flakyEvery: Number(values['flaky-every']),
      quietMs: Number(values.quiet) * 1_000,
      onProgress: progress,
    },
    eventWorkflows: z.enum(['always', 'on_retry']).parse(values.workflows),
    onStart: (end) => void process.once('SIGINT', () => void end()),
    secrets: { admin: 'upgrade-admin-token', signing: 'upgrade-signing-secret' },
    query: (sql) => queryOnce(postgres.url, sql),
  });
  console.log(JSON.stringify(report, null, 2));
  mistakes = mistakesOf(report);
} finally {
  await temporal.stop();
  await postgres.stop();
  dataDir.release();
  if (values.keep) console.log(`The logs are in ${folder}/logs`);
  else remove();
}
for (const mistake of mistakes) console.error(`FAILED: ${mistake}`);
if (mistakes.length === 0) console.log('Nothing was refused, lost, repeated or later than a replacement explains.');
process.exitCode = mistakes.length === 0 ? 0 : 1;

function mistakesOf(report: Report & { undelivered: string[] }): string[] {
  const some = (what: string, list: readonly unknown[]) => (list.length > 0 ? [`${list.length} ${what}`] : []);
  const late = (what: string, ms: number, limitMs: number) =>
    ms > limitMs ? [`${what} was ${ms} ms late, more than ${limitMs}`] : [];
  return [
    ...some('webhooks were refused', Object.values(report.refused)),
    ...some('events were lost', report.lost),
    ...some('attempts were repeated', report.twice),
    ...some('events are not recorded as delivered', report.undelivered),
    ...late('a first attempt', report.firstMs.max, longestDelayMs),
    ...late('a retry', report.retryLateMs.max, longestDroppedMs),
    ...late('a retry with no worker stopping', report.undisturbedLateMs.max, longestDelayMs),
    ...late('one retry in 100', report.retryLateMs.p99, longestDelayMs),
  ];
}
