import { line } from '../faults/report.ts';
import type { ClusterGround } from './ground.ts';
import type { ClusterCommand, PartName } from './options.ts';
import type { PartResult } from './part.ts';
import { runActions } from './parts/actions.ts';
import { runBench } from './parts/bench.ts';
import { runCost } from './parts/cost.ts';
import { runDisk } from './parts/disk.ts';
import { runEndToEnd } from './parts/e2e.ts';
import { runFaults } from './parts/faults.ts';
import { runKill } from './parts/kill.ts';
import { runScale } from './parts/scale.ts';

const run: Record<PartName, (ground: ClusterGround, command: ClusterCommand) => Promise<PartResult>> = {
  e2e: runEndToEnd,
  faults: runFaults,
  kill: runKill,
  bench: runBench,
  scale: runScale,
  cost: runCost,
  actions: runActions,
  disk: runDisk,
};

/** Runs the parts one after the other, also after a failure, and prints a table of all. Returns whether all passed. */
export async function runParts(ground: ClusterGround, command: ClusterCommand): Promise<boolean> {
  const results: (PartResult & { part: PartName; seconds: number })[] = [];
  for (const part of command.parts) {
    console.log(`\n${part}`);
    const startedMs = performance.now();
    const result = await run[part](ground, command).catch((error: unknown) => ({
      said: '',
      failures: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    }));
    for (const failure of result.failures) console.log(`FAILED: ${failure}`);
    results.push({ part, ...result, seconds: Math.round((performance.now() - startedMs) / 1000) });
  }
  console.log(
    [
      '',
      line(['part', 'verdict', 'seconds', 'what']),
      line(['---', '---', '---', '---']),
      ...results.map(({ part, failures, seconds, said }) =>
        line([part, failures.length === 0 ? 'passed' : 'FAILED', seconds, said]),
      ),
    ].join('\n'),
  );
  return results.every(({ failures }) => failures.length === 0);
}
