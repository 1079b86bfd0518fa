import { cachedWorkflowBytes, cachedWorkflows, memoryBytes } from '../../../src/temporal/worker-options.ts';
import { type BothEnds, startBothEnds } from '../../bench/deliver/both-ends.ts';
import { markdown } from '../../bench/report.ts';
import type { ClusterGround } from '../ground.ts';
import type { ClusterCommand, ScaleMeasure } from '../options.ts';
import type { PartResult } from '../part.ts';
import { fairness } from '../scale/fair.ts';
import { attemptsInFlight } from '../scale/in-flight.ts';
import { memoryOfWaiting } from '../scale/memory.ts';

/** Two apis carry at least so many times what one carries. */
const leastGain = 1.9;
/** A hanging consumer may make the p99 of other accounts at most so many times as long. */
const mostDelay = 1.5;
/** What waiting workflows may cost a worker in MiB: those in its cache, and little for all others. */
const mostMiB = Math.round(100 + (cachedWorkflows(memoryBytes()) * cachedWorkflowBytes) / 1024 ** 2);

interface Row {
  measured: string;
  value: string;
  required: string;
  holds: boolean;
}

const measures: Record<
  ScaleMeasure,
  (ground: ClusterGround, ends: BothEnds, command: ClusterCommand) => Promise<Row[]>
> = {
  'in-flight': async (ground, ends) => {
    const one = await attemptsInFlight(ground, ends, 1);
    const others: Row[] = [];
    for (const apis of [2, 4]) {
      const found = await attemptsInFlight(ground, ends, apis);
      const least = apis === 2 ? leastGain : null;
      others.push({
        measured: `attempts in flight of ${apis} apis`,
        value: `${found}, ${(found / one).toFixed(2)} times those of one`,
        required: least === null ? '' : `${least} times`,
        holds: least === null || found >= least * one,
      });
    }
    return [{ measured: 'attempts in flight of 1 api', value: String(one), required: '', holds: true }, ...others];
  },
  fair: async (ground, ends) => {
    const { aloneMs, withHangingMs } = await fairness(ground, ends);
    const ratio = withHangingMs / aloneMs;
    return [
      {
        measured: 'p99 of nine accounts with a hanging tenth',
        value: `${withHangingMs.toFixed(1)} ms, alone ${aloneMs.toFixed(1)} ms: ${ratio.toFixed(2)} times`,
        required: `at most ${mostDelay} times`,
        holds: ratio <= mostDelay,
      },
    ];
  },
  memory: async (ground, ends, { waiting }) => {
    const { before, after } = await memoryOfWaiting(ground, ends, waiting);
    return [
      {
        measured: `memory of a worker with ${waiting} waiting workflows`,
        value: `${after.toFixed(0)} MiB, without ${before.toFixed(0)} MiB: ${(after - before).toFixed(0)} MiB more`,
        required: `less than ${mostMiB} MiB more`,
        holds: after - before < mostMiB,
      },
    ];
  },
};

/** Measures what more apis bring, what a hanging consumer costs other accounts, and what waiting workflows cost. */
export async function runScale(ground: ClusterGround, command: ClusterCommand): Promise<PartResult> {
  const ends = await startBothEnds();
  const rows: Row[] = [];
  try {
    for (const name of command.measures) {
      const found = await measures[name](ground, ends, command);
      for (const { measured, value } of found) console.log(`${measured}: ${value}`);
      rows.push(...found);
    }
  } finally {
    await ends.stop();
  }
  console.log(markdown(rows.map(({ holds, ...row }) => ({ ...row, verdict: holds ? 'holds' : 'FAILED' }))));
  return {
    said: rows.map(({ measured, value }) => `${measured}: ${value}`).join('; '),
    failures: rows
      .filter(({ holds }) => !holds)
      .map(({ measured, value, required }) => `${measured}: ${value}; required: ${required}`),
  };
}
