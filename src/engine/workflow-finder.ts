import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { TemporalServer } from '../temporal/connection.ts';
import { connectLazily, saysThatItIsAway } from '../temporal/lazy-connection.ts';
import { workflowId } from './workflow-engine.ts';

/** The workflow of an event in Temporal; `url` is its page in the Web UI, null if no Web UI is configured. */
export interface FoundWorkflow {
  id: string;
  run_id: string;
  url: string | null;
}

/** How long a request about an event waits for Temporal. The event is useful without the link. */
const limitMs = 1_000;

/**
 * Creates a lookup of the workflows of events, for links to Temporal's Web UI. Connects at the first lookup.
 */
export function createWorkflowFinder(options: TemporalServer & { namespace: string; uiUrl: string | null }) {
  const connection = connectLazily(options);
  const client = new Client({ connection, namespace: options.namespace });
  return {
    /** Null when Temporal no longer has the workflow, or is unavailable. */
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
