import {
  Client,
  type ConnectionLike,
  defaultPayloadConverter,
  isGrpcServiceError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { isDeliverEventInput } from '../../workflows/message-checks.ts';
import type { DeliverEventInput } from '../../workflows/messages.ts';
import { isId } from '../shared/is-id.ts';
import { workflowId } from './workflow-engine.ts';

/** A healthy server answers in milliseconds. */
const callLimitMs = 3_000;
/** The gRPC status code NOT_FOUND. */
const notFound = 5;

/** Shown with the run in Temporal's Web UI. */
const resetReason = "a reset was repaired: another run continues from the event's row";

/** A run of an event's workflow that was cancelled or terminated. */
export interface EndedRun {
  eventId: string;
  runId: string;
  isCancelled: boolean;
}

/** Reads from Temporal which runs of events' workflows a person has ended, and how. */
export class EndedRuns {
  readonly #client: Client;
  readonly #namespace: string;

  constructor(connection: ConnectionLike, namespace: string) {
    this.#client = new Client({ connection, namespace });
    this.#namespace = namespace;
  }

  /** The latest runs that were cancelled or terminated since then, without those that `isKnown`. */
  async list(options: { sinceMs: number; limit: number; isKnown(runId: string): boolean }): Promise<EndedRun[]> {
    const since = new Date(options.sinceMs).toISOString();
    const query = `WorkflowType = 'deliverEvent' AND ExecutionStatus IN ('Canceled', 'Terminated') AND CloseTime > '${since}'`;
    const found: EndedRun[] = [];
    await this.#call(async ({ workflow }) => {
      for await (const { workflowId: id, runId, status } of workflow.list({ query, pageSize: options.limit })) {
        const eventId = id.slice(workflowId('').length);
        if (options.isKnown(runId) || !isId(eventId)) continue;
        if (found.push({ eventId, runId, isCancelled: status.name === 'CANCELLED' }) === options.limit) break;
      }
    });
    return found;
  }

  /** The latest run of the event's workflow; null if Temporal has none. */
  async latest(eventId: string): Promise<string | null> {
    try {
      return (await this.#describe(eventId)).runId;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  }

  /** Whether no other run has followed this one. */
  async isLast({ eventId, runId }: EndedRun): Promise<boolean> {
    const latest = await this.latest(eventId);
    return latest === null || latest === runId;
  }

  /** The generation with which a run was started; null if Temporal no longer has its history. */
  async generationOf({ eventId, runId }: EndedRun): Promise<number | null> {
    const request = {
      ...{ namespace: this.#namespace, execution: { workflowId: workflowId(eventId), runId } },
      maximumPageSize: 1,
    };
    try {
      const { history } = await this.#call(({ workflowService }) =>
        workflowService.getWorkflowExecutionHistory(request),
      );
      const payload = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
      const input = payload && defaultPayloadConverter.fromPayload<DeliverEventInput>(payload);
      return input && isDeliverEventInput(input) ? input.generation : null;
    } catch (error) {
      if (isGrpcServiceError(error) && error.code === notFound) return null;
      throw error;
    }
  }

  /**
   * How this run was ended; null if another one has followed, whose own end decides. The run that a reset has made begins at
   * an earlier point than the row, so it is ended: `later`, if it attempts or notifies. Its attempt would be made again.
   */
  async repaired(run: EndedRun): Promise<'reset' | 'terminated' | 'later' | null> {
    const { eventId, runId } = run;
    try {
      const { raw } = await this.#describe(eventId, runId);
      const resetRunId = raw.workflowExtendedInfo?.resetRunId;
      const ofReset = resetRunId ? await this.#describe(eventId, resetRunId) : null;
      if (resetRunId && ofReset?.status.name === 'RUNNING') {
        if (ofReset.raw.pendingActivities?.length) return 'later';
        await this.#call(({ workflow }) => workflow.getHandle(workflowId(eventId), resetRunId).terminate(resetReason));
        return 'reset';
      }
    } catch (error) {
      // Deleted, or the run of the reset has ended a moment ago.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
    return (await this.isLast(run)) ? 'terminated' : null;
  }

  #describe(eventId: string, runId?: string) {
    return this.#call(({ workflow }) => workflow.getHandle(workflowId(eventId), runId).describe());
  }

  #call<T>(call: (client: Client) => Promise<T>): Promise<T> {
    return this.#client.connection.withDeadline(Date.now() + callLimitMs, () => call(this.#client));
  }
}
