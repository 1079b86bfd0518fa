import { setTimeout as sleep } from 'node:timers/promises';
import { uuidMs } from '../../src/database/uuid-time.ts';
import { checkAll } from '../faults/checks/check-all.ts';
import { ownFolder, prepareGround } from '../faults/ground.ts';
import type { Injected } from '../faults/inject.ts';
import { sendWebhooks } from '../faults/load.ts';
import { line } from '../faults/report.ts';
import { untilSettled } from '../faults/rows.ts';
import { openStage, type Stage } from '../faults/stage.ts';
import { Standstills } from '../faults/standstills.ts';
import { commandOf } from '../support/command.ts';
import { whatGrew } from './flat.ts';
import { readOptions, usage } from './options.ts';
import { type Sample, takeSample } from './sample.ts';

/**
 * `npm run soak -- [--minutes 60] [--rate 8]`: a steady load for a long time, webhooks that become 20
 * events a second. Every tenth request fails at the consumer,
 * Temporal is restarted five times, and PostgreSQL once. Prints a row of measurements for each minute. Fails if an event
 * was lost, if anything that `npm run faults` checks does not hold, or if memory, file descriptors, connections, the
 * queue or its dead rows grew: `flat.ts`.
 */
const { minutes, rate } = commandOf(readOptions, usage, 1);
// All processes stop with this one, also when it is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const columns: [string, (sample: Sample) => string | number][] = [
  ['minute', ({ minute }) => minute],
  ['api MiB', ({ apiMiB }) => apiMiB],
  ['worker MiB', ({ workerMiB }) => workerMiB],
  ['Temporal MiB', ({ temporalMiB }) => temporalMiB],
  ['PostgreSQL MiB', ({ postgresMiB }) => postgresMiB],
  ['file descriptors', ({ descriptors }) => descriptors],
  ['connections', ({ connections }) => connections ?? ''],
  ['queued', ({ queued }) => queued ?? ''],
  ['workflows to start', ({ unstarted }) => unstarted ?? ''],
  ['dead rows of the queue', ({ deadQueueRows }) => deadQueueRows ?? ''],
  ['queue KiB', ({ queueKiB }) => queueKiB ?? ''],
  ['first attempt p50 / p99 ms', ({ firstAttemptP50Ms: p50, firstAttemptP99Ms: p99 }) => `${p50 ?? ''} / ${p99 ?? ''}`],
];
const minuteMs = 60_000;
const seed = 1;
/** After the load: each event has ten attempts, a second apart, and the servers have just been restarted. */
const settleLimitMs = 120_000;
const stopLimitMs = 20_000;

const { folder, remove } = ownFolder('gateway-soak-');
process.on('exit', remove);
const stage = await openStage({
  ...{ seed, folder, onSmallDisk: false, apiDelivers: true, failsEvery: 10 },
  ground: await prepareGround(),
});
const standstills = new Standstills();
const failures: string[] = [];
try {
  await stage.createAccounts();
  console.log(line(columns.map(([name]) => name)));
  console.log(line(columns.map(() => '---')));
  const [webhooks, samples, ...injected] = await Promise.all([
    sendWebhooks({ seed, urls: stage.senderUrls, loadS: minutes * 60, rate }),
    sampleEachMinute(stage),
    ...[1, 2, 3, 4, 5].map((sixth) => restart(stage, 'temporal', (minutes * minuteMs * sixth) / 6)),
    restart(stage, 'postgres', (minutes * minuteMs * 7) / 12),
  ]);
  const left = await untilSettled(stage.postgres, settleLimitMs);
  if (left !== null) failures.push(`two minutes after the load ${left}`);
  const all = [...injected, ...standstills.found];
  const { rows, duplicates, failures: wrong } = await checkAll(stage, { seed, webhooks, injected: all, stopLimitMs });
  failures.push(...wrong, ...whatGrew(samples));
  const refused = webhooks.flatMap((webhook) => webhook.refused).length;
  console.log(
    `\n${webhooks.length} webhooks: ${rows.events.length} events, ` +
      `${rows.events.filter(({ deliveryStatus }) => deliveryStatus === 'delivered').length} delivered, ${refused} answers refused one; ` +
      `${rows.attempts.length} attempts, ${duplicates.explained} duplicates explained by a restart, ${duplicates.unexplained} unexplained`,
  );
} finally {
  standstills.stop();
  await stage.close();
}
for (const failure of failures) console.log(`FAILED: ${failure}`);
if (failures.length === 0) console.log('passed: nothing was lost, and nothing grew');
process.exit(failures.length === 0 ? 0 : 1);

/** Restarts a server at a time after the start of the load, as its operator would. */
async function restart(
  { postgres, temporal }: Stage,
  name: 'postgres' | 'temporal',
  afterMs: number,
): Promise<Injected> {
  await sleep(afterMs);
  const beganMs = Date.now();
  const server = name === 'postgres' ? postgres : temporal;
  await server.process.stop(name === 'postgres' ? 'SIGINT' : 'SIGTERM', stopLimitMs);
  await server.start();
  const endedMs = Date.now();
  return {
    ...{ kind: `restart-${name}`, atMs: afterMs, lastsMs: endedMs - beganMs, beganMs, endedMs },
    action: { do: 'kill', processes: [name] },
  };
}

async function sampleEachMinute(stage: Stage): Promise<Sample[]> {
  const samples: Sample[] = [];
  const startedMs = performance.now();
  let seenBefore = 0;
  for (let minute = 1; minute <= minutes; minute++) {
    await sleep(minute * minuteMs - (performance.now() - startedMs));
    const seen = stage.consumer.seen.slice(seenBefore);
    seenBefore += seen.length;
    const waits = seen.filter(({ number }) => number === 1).map(({ eventId, atMs }) => atMs - uuidMs(eventId));
    const sample = await takeSample(stage, minute, waits);
    samples.push(sample);
    console.log(line(columns.map(([, value]) => value(sample))));
  }
  return samples;
}
