import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';

/**
 * Does something to running workflows of deliveries again and again, `atOnce` at a time with a pause between. Returns the
 * function that ends this.
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
  const some = async () => {
    const running = client.workflow.list({ query: `WorkflowType = 'deliverEvent' AND ExecutionStatus = 'Running'` });
    let count = 0;
    for await (const run of running) {
      await disturb(client, run);
      if (++count === atOnce || ending.signal.aborted) return;
    }
  };
  const working = (async () => {
    while (!ending.signal.aborted) {
      // A workflow may have ended, and another fault may have taken Temporal away.
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
