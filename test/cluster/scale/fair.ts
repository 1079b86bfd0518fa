import type { BothEnds } from '../../bench/deliver/both-ends.ts';
import { measure, newRun } from '../../bench/deliver/measure.ts';
import { type ClusterStage, openClusterStage } from '../bench-stage.ts';
import type { ClusterGround } from '../ground.ts';
import { median } from './median.ts';

/** Far more than any attempt waits: the consumer of the tenth account never answers. */
const neverMs = 600_000;
const accounts = 9;
/** Events a second of each account. */
const each = 5;
const loadS = 15;
/** So many times with and without the hanging account, in turn: the speed of a machine changes. */
const pairs = 5;
const load = { connections: 32, bytes: 1_000 };

export interface Fairness {
  /** The p99 from the webhook to the consumer, of nine accounts, in ms: the median of several runs. */
  aloneMs: number;
  withHangingMs: number;
}

/** What nine accounts wait while the consumer of a tenth one hangs, and while that one gets no events. */
export async function fairness(ground: ClusterGround, ends: BothEnds): Promise<Fairness> {
  const stage = await openClusterStage(ground, ends, { apis: 2, workers: 2 });
  try {
    const targets = await Promise.all(Array.from({ length: accounts }, () => stage.account()));
    const p99 = async () => {
      const rate = accounts * each;
      const figures = await measure(stage, { targets, events: rate * loadS, rate, ...load });
      if (figures.lost > 0) throw new Error(`${figures.lost} events of the other accounts were lost`);
      return figures.p99Ms;
    };
    // So that code is compiled and connections are open.
    await p99();
    const [alone, withHanging]: [number[], number[]] = [[], []];
    for (let pair = 0; pair < pairs; pair++) {
      alone.push(await p99());
      withHanging.push(await whileOneHangs(stage, p99));
    }
    console.log(`p99 of nine accounts, ms: alone ${shown(alone)}; with a hanging tenth ${shown(withHanging)}`);
    return { aloneMs: median(alone), withHangingMs: median(withHanging) };
  } finally {
    await stage.close();
  }
}

/** Measures while a tenth account gets events, whose consumer never answers. Afterwards this account is deleted. */
async function whileOneHangs(stage: ClusterStage, measured: () => Promise<number>): Promise<number> {
  const { load: sender } = stage.ends;
  const hanging = await stage.account(`?delay-ms=${neverMs}`);
  const run = newRun();
  const sending = sender.call('send', { run, targets: [hanging], events: null, rate: each, ...load });
  try {
    return await measured();
  } finally {
    await sender.call('stop', { run });
    await sending;
    await stage.admin('DELETE', new URL(hanging.adminUrl).pathname);
  }
}

const shown = (values: readonly number[]) => values.map((value) => value.toFixed(1)).join(', ');
