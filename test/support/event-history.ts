import { Client, Connection } from '@temporalio/client';
import { workflowId } from '../../src/engine/workflow-engine.ts';

/** Of each run of the workflow, the last entries: the message of an error is shortened. */
const shownEntries = 12;

/**
 * What the workflow of an event did, its last run first, and what it waits for: to tell a task that was lost from one that
 * is late. Contains no payloads.
 */
export async function eventHistory(temporal: { address: string; namespace: string }, eventId: string): Promise<string> {
  const connection = await Connection.connect({ address: temporal.address });
  try {
    const { workflow } = new Client({ connection, namespace: temporal.namespace });
    const runs: string[] = [];
    for await (const { runId } of workflow.list({ query: `WorkflowId = "${workflowId(eventId)}"` })) {
      const handle = workflow.getHandle(workflowId(eventId), runId);
      const { events } = await handle.fetchHistory();
      const { pendingActivities, pendingWorkflowTask } = (await handle.describe()).raw;
      const pending = [...(pendingActivities ?? []), ...(pendingWorkflowTask ? [pendingWorkflowTask] : [])];
      runs.push(
        [
          ...(events ?? []).slice(-shownEntries).map(textOf),
          ...pending.map((task) => `pending: ${JSON.stringify(task)}`),
        ].join('\n'),
      );
    }
    return runs.join('\n\n');
  } finally {
    await connection.close();
  }
}

type Entry = { eventTime?: { seconds?: unknown; nanos?: unknown } | null };

/** The time, and the kind by the name of its attributes, as `activityTaskStarted`. */
function textOf(entry: Entry): string {
  const { seconds, nanos } = entry.eventTime ?? {};
  const time = new Date(Number(seconds) * 1000 + Number(nanos) / 1e6).toISOString();
  const attributes = Object.entries(entry).find(([name, value]) => name.endsWith('EventAttributes') && value !== null);
  return `${time} ${attributes?.[0].replace('EventAttributes', '')}`;
}
