import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { TemporalServer } from '../temporal/connection.ts';
import { connectLazily, saysThatItIsAway } from '../temporal/lazy-connection.ts';
import { workflowId } from './workflow-engine.ts';

/** Where Temporal shows an event's workflow. */
export interface FoundWorkflow {
  id: string;
  run_id: string;
  url: string | null;
}

/** A page about an event waits no longer for Temporal than this; it is worth showing without the link. */
const limitMs = 1_000;

/**
 * Looks up the workflows of events for people who want to see them in Temporal's Web UI. Connects at the first question.
 */
export function createWorkflowFinder(options: TemporalServer & { namespace: string; uiUrl: string | null }) {
  const connection = connectLazily(options);
  const client = new Client({ connection, namespace: options.namespace });
  return {
    /** Null when Temporal does not have the workflow any more, or cannot be asked at this moment. */
    async find(eventId: string): Promise<FoundWorkflow | null> {
      const id = workflowId(eventId);
      try {
        const { runId } = await connection.withDeadline(Date.now() + limitMs, () =>
          client.workflow.getHandle(id).describe(),
        );
        const { uiUrl, namespace } = options;
        const url =
          uiUrl === null
            ? null
            : `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${id}/${runId}/history`;
        return { id, run_id: runId, url };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError || saysThatItIsAway(error)) return null;
        throw error;
      }
    },
    close: () => connection.close(),
  };
}
