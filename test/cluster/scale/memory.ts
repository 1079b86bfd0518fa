import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BothEnds } from '../../bench/deliver/both-ends.ts';
import { newRun } from '../../bench/deliver/measure.ts';
import { warmUp } from '../../bench/deliver/warm-up.ts';
import type { Target } from '../../bench/load/webhooks.ts';
import { type ClusterStage, openClusterStage } from '../bench-stage.ts';
import { untilQuiet } from '../cost/until-quiet.ts';
import type { ClusterGround } from '../ground.ts';
import { median } from './median.ts';

const collector = fileURLToPath(new URL('collect.ts', import.meta.url));
/** The second attempt is due after the measurement. The other delays play no part. */
const schedule = ['3h', ...Array.from({ length: 8 }, () => '10s')].join(',');
/** Collections, whose memory is returned to the system only after a moment. */
const rounds = 5;
const roundMs = 2_000;
const lookMs = 500;
/** For the starts of 10,000 workflows at 20 a second, which a slow machine makes. */
const limitMs = 600_000;
/** Of the kibibytes that Linux reports. */
const mebibyte = 1024;

/** What a worker needs, in MiB. */
export interface WorkerMemory {
  before: number;
  after: number;
}

/**
 * The memory of a worker that has started the workflows of so many delivered events, and after as many others have failed
 * once and wait for their second attempt, each with its workflow. It is the PSS after a collection of garbage.
 */
export async function memoryOfWaiting(ground: ClusterGround, ends: BothEnds, waiting: number): Promise<WorkerMemory> {
  const stage = await openClusterStage(ground, ends, {
    ...{ apis: 1, workers: 1, workerOptions: `--import ${collector}` },
    environment: { DELIVERY_SCHEDULE: schedule },
  });
  try {
    await warmUp(stage);
    const send = async (run: string, target: Target) => {
      const load = { targets: [target], events: waiting, rate: 0, connections: 16, bytes: 1_000 };
      await ends.load.call('send', { run, ...load });
    };
    // The same load without waiting workflows: code, pools and the allocator keep what it needs once.
    await send(newRun(), await stage.account());
    await untilQuiet(stage.cluster.servers.postgres, limitMs);
    const before = await settledMiB(stage);
    const run = newRun();
    // The consumer answers 500 to the first attempt of each event of this run.
    await send(run, await stage.account(`?failing=${run}`));
    await untilWaiting(stage, waiting);
    return { before, after: await settledMiB(stage) };
  } finally {
    await stage.close();
  }
}

/** Waits until all events have failed once, and have their workflows. */
async function untilWaiting(stage: ClusterStage, waiting: number): Promise<void> {
  for (const endMs = Date.now() + limitMs; ; await sleep(lookMs)) {
    const [row] = await stage.query<{ ready: number }>(
      `select count(*)::integer as ready from events
       where delivery_status = 'pending' and attempts = 1 and started_generation = generation`,
    );
    if (row?.ready === waiting) return;
    if (Date.now() > endMs) throw new Error(`after ${limitMs / 1000} s, ${row?.ready} of ${waiting} events wait`);
  }
}

/** The memory of the worker after several collections of its garbage. */
async function settledMiB({ cluster }: ClusterStage): Promise<number> {
  const [worker] = cluster.roles('worker');
  const server = worker?.process.process;
  if (!server?.pid) throw new Error('there is no worker');
  const found: number[] = [];
  for (let round = 0; round < rounds; round++) {
    server.signal('SIGUSR2');
    await sleep(roundMs);
    found.push(pssMiB(server.pid));
  }
  return median(found);
}

/** The proportional set size of a process: proc_pid_smaps(5). */
function pssMiB(pid: number): number {
  const kibibytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kibibytes) / mebibyte;
}
