import { setTimeout as sleep } from 'node:timers/promises';
import { IdleCpu } from './idle-cpu.ts';

/**
 * Workers that begin a file whenever they have one. Most files wait about half of their time, so these keep two cores of a
 * slow machine busy.
 */
const always = 3;
/** The idle share of the processors, over a second, at which one of the other workers begins a file. */
const idleShare = 0.15;
const periodMs = 1_000;
/** No two of the other workers decide within this time: what one has begun takes a while to show in the idle share. */
const apartMs = 700;
/**
 * A worker that has a file begins it after this time in any case, because other programs may keep the processors busy for hours.
 * The dearest files come first and keep them busy for minutes: with two, all workers began one, and tests exceeded their limits.
 */
const longestMs = 15 * 60_000;

// The other workers wait until the processors have room: a fast machine then runs more files at a time than a slow one,
// and no test exceeds its limit because too many run at the same time.
const place = Number(process.env.VITEST_POOL_ID) - always - 1;
const others = Number(process.env.TEST_WORKERS ?? 0) - always;
if (place >= 0 && others > 0) {
  const idle = new IdleCpu();
  const roundMs = apartMs * others;
  for (const endMs = Date.now() + longestMs; Date.now() < endMs; ) {
    // The clock gives each worker its moment in a round.
    await sleep(roundMs - ((Date.now() - place * apartMs) % roundMs));
    idle.share();
    await sleep(periodMs);
    if (idle.share() >= idleShare) break;
  }
}
