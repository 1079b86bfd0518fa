import type { Fault, ProcessName } from '../../faults/plan.ts';
import { table } from '../../faults/report.ts';
import { runSeed } from '../../faults/run-seed.ts';
import type { ClusterGround } from '../ground.ts';
import type { PartResult } from '../part.ts';
import { failuresOf } from './faults.ts';

/** When each process is killed, and for how long it is away. */
const kills: [ProcessName, number, number][] = [
  ['api-1', 4_000, 3_000],
  ['worker-1', 10_000, 3_000],
  ['temporal', 16_000, 2_000],
  ['postgres', 24_000, 1_000],
  ['api-2', 32_000, 3_000],
  ['worker-2', 36_000, 3_000],
];
const loadS = 45;
/** Of `runSeed`: it decides how the consumers behave. */
const seed = 6;

/**
 * Kills one process after another by SIGKILL, while webhooks come in: each api, each worker, Temporal and PostgreSQL. The
 * checks are those of the fault suite: nothing that was accepted is lost, every event is delivered or exhausted, and a
 * kill explains every duplicate.
 */
export async function runKill(ground: ClusterGround, { rate }: { rate: number }): Promise<PartResult> {
  const faults = kills.map(
    ([process, atMs, lastsMs]): Fault => ({
      ...{ kind: `kill-${process}`, atMs, lastsMs },
      action: { do: 'kill', processes: [process] },
    }),
  );
  const result = await runSeed({ seed, loadS, rate, only: [], faults, ground });
  console.log(table([result]));
  const { webhooks, duplicates } = result;
  const refused = webhooks.flatMap((webhook) => webhook.refused).length;
  return {
    said: `${webhooks.length} webhooks, ${refused} answers refused one, ${duplicates.explained} duplicates explained by a kill`,
    failures: failuresOf([result]),
  };
}
