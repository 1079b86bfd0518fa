import { resetRun } from '../support/workflows.ts';
import { type ByHand, eventOf } from './by-hand.ts';
import { Random } from './random.ts';
import { disturbRunning } from './running-workflows.ts';

/** Fewer cancellations, because an event that was cancelled is not delivered any more. */
const actions = ['terminate', 'terminate', 'reset', 'reset', 'cancel'] as const;

/** Terminates, resets and cancels running workflows, as a person may do. Returns the function that ends this. */
export function endWorkflows(port: number, byHand: ByHand): () => Promise<void> {
  const random = new Random(1);
  return disturbRunning(port, { atOnce: 5, pauseMs: 300 }, async (client, { workflowId, runId }) => {
    const eventId = eventOf(workflowId);
    // Before the call, because a broken connection does not say whether it took effect.
    byHand.ended.add(eventId);
    const handle = client.workflow.getHandle(workflowId, runId);
    const action = random.pick(actions);
    switch (action) {
      case 'terminate':
        await handle.terminate('by hand');
        return;
      case 'reset':
        await resetRun(client, { workflowId, runId });
        return;
      case 'cancel':
        byHand.cancellations.push({ eventId, runId });
        await handle.cancel();
        return;
      default:
        action satisfies never;
    }
  });
}
