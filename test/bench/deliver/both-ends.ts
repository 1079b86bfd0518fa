import { BenchProcess } from '../calls.ts';
import type { ConsumerCalls } from '../consumer/main.ts';
import type { LoadCalls } from '../load/main.ts';

export async function startBothEnds() {
  const load = new BenchProcess<LoadCalls>('load/main.ts');
  const consumer = new BenchProcess<ConsumerCalls>('consumer/main.ts');
  const port = await consumer.call('listen', undefined);
  return {
    load,
    consumer,
    /** Where the consumer listens. */
    consumerUrl: `http://127.0.0.1:${port}/hook`,
    async stop() {
      await load.stop();
      await consumer.stop();
    },
  };
}

/** The load generator and the consumer, each a process of its own. They serve all scenarios of a benchmark. */
export type BothEnds = Awaited<ReturnType<typeof startBothEnds>>;
