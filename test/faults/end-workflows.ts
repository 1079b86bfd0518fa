import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { disturbRunning } from './running-workflows.ts';

/** Terminates and resets running workflows alternately, as a person may do. Returns the function that ends this. */
export function endWorkflows(port: number): () => Promise<void> {
  let count = 0;
  return disturbRunning(port, { atOnce: 5, pauseMs: 300 }, async (client, { workflowId, runId }) => {
    if (count++ % 2 === 0) await client.workflow.getHandle(workflowId, runId).terminate('by hand');
    else await reset(client, { workflowId, runId });
  });
}

async function reset({ workflow, workflowService, options }: Client, run: { workflowId: string; runId: string }) {
  const { events } = await workflow.getHandle(run.workflowId, run.runId).fetchHistory();
  const first = events?.find(({ workflowTaskCompletedEventAttributes }) => workflowTaskCompletedEventAttributes);
  await workflowService.resetWorkflowExecution({
    ...{ namespace: options.namespace, workflowExecution: run, reason: 'by hand' },
    ...{ workflowTaskFinishEventId: first?.eventId, requestId: randomUUID() },
  });
}
