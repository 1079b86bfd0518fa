import { setTimeout as sleep } from 'node:timers/promises';
import { IdleCpu } from '../../src/shared/idle-cpu.ts';

/**
 * Workers that begin a file whenever they have one. Most files wait about half of their time, so these keep two cores of a
 * slow machine busy.
 */
const always = 3;
/** The idle share of the processors at which the first of the other workers begins a file. Each further one needs as much more. */
const idleShare = 0.2;
const periodMs = 1_000;

// The other workers wait until the processors have room: a fast machine then runs more files at a time than a slow one,
// and no test exceeds its limit because too many run beside it.
const further = Number(process.env.VITEST_POOL_ID) - always;
if (further > 0) {
  const idle = new IdleCpu();
  do {
    idle.share();
    await sleep(periodMs);
  } while (idle.share() < idleShare * further);
}
