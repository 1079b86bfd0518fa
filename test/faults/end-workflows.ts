import { resetRun } from '../support/workflows.ts';
import { disturbRunning } from './running-workflows.ts';

/** Terminates and resets running workflows alternately, as a person may do. Returns the function that ends this. */
export function endWorkflows(port: number): () => Promise<void> {
  let count = 0;
  return disturbRunning(port, { atOnce: 5, pauseMs: 300 }, async (client, { workflowId, runId }) => {
    if (count++ % 2 === 0) await client.workflow.getHandle(workflowId, runId).terminate('by hand');
    else await resetRun(client, { workflowId, runId });
  });
}
