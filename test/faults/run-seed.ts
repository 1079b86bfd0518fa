import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkAll } from './checks/check-all.ts';
import type { Duplicates } from './checks/duplicates.ts';
import type { Seen } from './consumer.ts';
import { type Ground, ownFolder } from './ground.ts';
import { type Injected, injectFaults } from './inject.ts';
import { sendWebhooks, type Webhook } from './load.ts';
import { type Fault, inWords, planFaults } from './plan.ts';
import { randomFor } from './random.ts';
import { type Rows, untilSettled } from './rows.ts';
import { settleLimitMs } from './settings.ts';
import { openStage, type Stage } from './stage.ts';
import { Standstills } from './standstills.ts';

/** Nothing is in flight any more when the processes are asked to stop. */
const stopLimitMs = 20_000;

/** What became of a seed. */
export interface SeedResult {
  seed: number;
  faults: Injected[];
  webhooks: Webhook[];
  rows: Rows;
  seen: Seen[];
  duplicates: Duplicates;
  /** Notifications that arrived. */
  notices: number;
  /** From the end of the last fault to the last successful POST; 0 if that came before. */
  recoveryS: number;
  /** From the end of the last fault until nothing was left to do. */
  settledS: number;
  seconds: number;
  /** The failed checks in words; empty if the seed passed. */
  failures: string[];
  /** The folder with the logs of a failed seed. */
  folder: string | null;
}

/** Runs one seed: load and faults, then the wait until all is settled, then the checks. */
export async function runSeed(options: {
  seed: number;
  loadS: number;
  rate: number;
  /** The kinds of faults that the seed chooses from. */
  only: readonly string[];
  /** These faults, instead of those that the seed chooses. */
  faults?: readonly Fault[];
  ground: Ground;
}): Promise<SeedResult> {
  const startedMs = performance.now();
  const elapsedMs = () => performance.now() - startedMs;
  const { seed, loadS, rate } = options;
  const faults = options.faults ?? planFaults(options);
  const apiDelivers = randomFor(seed, 'first attempt').pick([true, true, true, false]);
  console.log(`seed ${seed}: API_DELIVERS=${apiDelivers}`);
  for (const fault of faults) console.log(`  ${inWords(fault)}`);
  const { folder, remove: removed } = ownFolder(`gateway-faults-${seed}-`);
  // Also after Ctrl-C, when the processes have been killed.
  process.once('exit', removed);
  const onSmallDisk = faults.some(({ action }) => action.do === 'full-disk');
  const stage = await openStage({ seed, folder, ground: options.ground, onSmallDisk, apiDelivers });
  const standstills = new Standstills();
  let result: SeedResult;
  try {
    await stage.createAccounts();
    const [webhooks, injected] = await Promise.all([
      sendWebhooks({ seed, urls: stage.senderUrls, loadS, rate }),
      injectFaults(stage, faults),
    ]);
    const left = await untilSettled(stage.postgres, settleLimitMs);
    const settledMs = Date.now();
    const all = [...injected, ...standstills.found];
    result = await check(stage, { seed, webhooks, injected: all, left, settledMs, elapsedMs });
  } finally {
    standstills.stop();
    await stage.close();
  }
  process.off('exit', removed);
  if (result.failures.length === 0) removed();
  else {
    writeFileSync(join(folder, 'seen.json'), JSON.stringify(result, null, 1));
    result.folder = folder;
  }
  return result;
}

async function check(
  stage: Stage,
  run: {
    seed: number;
    webhooks: Webhook[];
    injected: Injected[];
    left: string | null;
    settledMs: number;
    elapsedMs(): number;
  },
): Promise<SeedResult> {
  const { seed, webhooks, injected, settledMs } = run;
  const { seen } = stage.consumer;
  const { rows, duplicates, failures } = await checkAll(stage, { seed, webhooks, injected, stopLimitMs });
  if (run.left !== null) failures.unshift(`at the end of the time limit ${run.left}`);
  const lastFaultMs = Math.max(0, ...injected.map(({ endedMs }) => endedMs));
  const lastDeliveryMs = Math.max(
    0,
    ...seen.flatMap(({ answer, answeredMs }) => (answer === 200 && answeredMs !== null ? [answeredMs] : [])),
  );
  return {
    ...{ seed, webhooks, rows, seen, duplicates, failures },
    faults: injected,
    notices: stage.receiver.notices.length,
    recoveryS: Math.max(0, lastDeliveryMs - lastFaultMs) / 1000,
    settledS: Math.max(0, settledMs - lastFaultMs) / 1000,
    seconds: run.elapsedMs() / 1000,
    folder: null,
  };
}
