import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { Random } from './random.ts';

/** More than run at a time. */
const lookedAt = 200;

/**
 * Does something to some running workflows of deliveries again and again, `atOnce` at a time with a pause between. Returns
 * the function that ends this.
 */
export function disturbRunning(
  port: number,
  { atOnce, pauseMs }: { atOnce: number; pauseMs: number },
  disturb: (client: Client, run: { workflowId: string; runId: string }) => Promise<void>,
): () => Promise<void> {
  const connection = Connection.lazy({
    address: `127.0.0.1:${port}`,
    channelArgs: { 'grpc.enable_http_proxy': 0 },
  });
  const client = new Client({ connection });
  const ending = new AbortController();
  const random = new Random(1);
  const some = async () => {
    const running = client.workflow.list({ query: `WorkflowType = 'deliverEvent' AND ExecutionStatus = 'Running'` });
    const runs: { workflowId: string; runId: string }[] = [];
    for await (const run of running) if (runs.push(run) === lookedAt) break;
    // The list begins with those that started last.
    for (const run of random.shuffled(runs).slice(0, atOnce)) {
      if (ending.signal.aborted) return;
      // It may have ended.
      await disturb(client, run).catch(() => undefined);
    }
  };
  const working = (async () => {
    while (!ending.signal.aborted) {
      // Another fault may have taken Temporal away.
      await some().catch(() => undefined);
      await sleep(pauseMs);
    }
  })();
  return async () => {
    ending.abort();
    await working;
    await connection.close();
  };
}
