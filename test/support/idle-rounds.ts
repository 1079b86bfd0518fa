import { Poller } from '../../src/shared/poller.ts';
import { log } from './runtime.ts';

/** Waits for three rounds of an idle poller: those at the start, after 250 ms and after 500 ms. */
export async function threeIdleRounds(): Promise<void> {
  let rounds = 0;
  const third = Promise.withResolvers<void>();
  const idle = new Poller({
    ...{ name: 'reference', idleMs: 250, log },
    work: async () => {
      rounds++;
      if (rounds === 3) third.resolve();
      return 'idle';
    },
  });
  idle.start();
  await third.promise;
  await idle.stop();
}
