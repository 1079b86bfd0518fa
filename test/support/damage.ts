import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Damage, Task } from './other-client.ts';

/**
 * Of a process that is attacked. V8 lets garbage grow by about 200 MiB before it looks for it, which would hide what an
 * attack holds. With a heap of this size it collects garbage, and ends the process where what is needed does not fit.
 */
export const attackedOptions = { NODE_OPTIONS: '--max-old-space-size=128' };

/** Starts another client, and resolves when it measures. */
export async function watchDamage(task: Task) {
  const worker = new Worker(new URL('./other-client.ts', import.meta.url), { workerData: task });
  const broken = once(worker, 'exit').then(() => Promise.reject(new Error('the other client has ended')));
  broken.catch(() => undefined);
  const end = () => worker.terminate();
  try {
    await Promise.race([once(worker, 'message'), broken]);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    /** Rejects when the other client ends because a request got no answer. */
    broken,
    /** Ends the measurement. */
    async report() {
      const reported = once(worker, 'message');
      worker.postMessage('report');
      const [damage]: Damage[] = await Promise.race([reported, broken]);
      if (damage === undefined) throw new Error('the other client has reported nothing');
      return damage;
    },
    /** Ends the other client, also without a report. */
    end,
  };
}
