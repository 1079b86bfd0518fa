import { faultKinds } from '../../faults/plan.ts';
import { table } from '../../faults/report.ts';
import { runSeed, type SeedResult } from '../../faults/run-seed.ts';
import { noSmallDisk } from '../../faults/small-disk.ts';
import type { ClusterGround } from '../ground.ts';
import type { PartResult } from '../part.ts';

/** Runs seeds of the fault suite on the servers of the cluster, with the balancer before the apis (docs/failures.md). */
export async function runFaults(
  ground: ClusterGround,
  { seeds, seconds: loadS, rate }: { seeds: readonly number[]; seconds: number; rate: number },
): Promise<PartResult> {
  const obstacle = noSmallDisk();
  if (obstacle !== null) console.log(`skipped: full-disk, because ${obstacle}`);
  const only = obstacle === null ? faultKinds : faultKinds.filter((kind) => kind !== 'full-disk');
  const results: SeedResult[] = [];
  for (const seed of seeds) {
    const result = await runSeed({ seed, loadS, rate, only, ground });
    console.log(`seed ${seed}: ${result.failures.length === 0 ? 'passed' : 'FAILED'}`);
    results.push(result);
  }
  console.log(table(results));
  return {
    said: `${results.length} seeds, ${results.flatMap(({ faults }) => faults).length} faults, ${results.flatMap(({ rows }) => rows.events).length} events`,
    failures: failuresOf(results),
  };
}

/** The failed checks of all seeds, with the folder that has the logs. */
export const failuresOf = (results: readonly SeedResult[]): string[] =>
  results.flatMap(({ seed, failures, folder }) =>
    failures.map((failure) => `seed ${seed}: ${failure} (logs: ${folder})`),
  );
