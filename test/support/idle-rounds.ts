import { Poller } from '../../src/shared/poller.ts';
import { log } from './runtime.ts';
import { until } from './until.ts';

/** Waits for three rounds of an idle poller: those at the start, after 250 ms and after 500 ms. */
export async function threeIdleRounds(): Promise<void> {
  let rounds = 0;
  const idle = new Poller({
    ...{ name: 'reference', idleMs: 250, log },
    work: async () => {
      rounds++;
      return 'idle';
    },
  });
  idle.start();
  await until('it has made three rounds', () => rounds === 3);
  await idle.stop();
}
