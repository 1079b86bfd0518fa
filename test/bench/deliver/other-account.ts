import type { Target } from '../load/webhooks.ts';
import type { Figures } from './figures.ts';
import { allDelivered, figuresOf, newRun, reportOf } from './measure.ts';
import { kilobyte } from './scenario.ts';
import type { Stage } from './stage.ts';

/** Events a second of the other account: few, because its latency is measured, not its speed. */
const rate = 20;
const connections = 16;

/** Measures the events of another account while `work` runs. Their CPU time is part of that of the work. */
export async function measureOtherAccount<T>(
  stage: Stage,
  target: Target,
  work: () => Promise<T>,
): Promise<{ result: T; otherAccount: Figures }> {
  const { load } = stage.ends;
  const run = newRun();
  const sending = load.call('send', { run, targets: [target], events: null, rate, connections, bytes: kilobyte });
  const result = await work().finally(() => load.call('stop', { run }));
  const sent = await sending;
  await allDelivered(stage, run, sent);
  return { result, otherAccount: figuresOf(sent, await reportOf(stage, run)) };
}
