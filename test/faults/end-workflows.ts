import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';

const pauseMs = 300;
const atOnce = 5;

/** Terminates and resets running workflows alternately, as a person may do. Returns the function that ends this. */
export async function endWorkflows(port: number): Promise<() => Promise<void>> {
  const connection = Connection.lazy({
    address: `127.0.0.1:${port}`,
    channelArgs: { 'grpc.enable_http_proxy': 0 },
  });
  const { workflow, options } = new Client({ connection });
  const ending = new AbortController();
  let count = 0;
  const reset = async (workflowId: string, runId: string) => {
    const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
    const first = events?.find(({ workflowTaskCompletedEventAttributes }) => workflowTaskCompletedEventAttributes);
    await connection.workflowService.resetWorkflowExecution({
      ...{ namespace: options.namespace, workflowExecution: { workflowId, runId }, reason: 'by hand' },
      ...{ workflowTaskFinishEventId: first?.eventId, requestId: randomUUID() },
    });
  };
  const end = async () => {
    const running = workflow.list({ query: `WorkflowType = 'deliverEvent' AND ExecutionStatus = 'Running'` });
    let ended = 0;
    for await (const { workflowId, runId } of running) {
      if (count++ % 2 === 0) await workflow.getHandle(workflowId, runId).terminate('by hand');
      else await reset(workflowId, runId);
      if (++ended === atOnce || ending.signal.aborted) return;
    }
  };
  const working = (async () => {
    while (!ending.signal.aborted) {
      // A workflow may have ended, and another fault may have taken Temporal away.
      await end().catch(() => undefined);
      await sleep(pauseMs);
    }
  })();
  return async () => {
    ending.abort();
    await working;
    await connection.close();
  };
}
