import { Client, type ConnectionLike, WorkflowNotFoundError } from '@temporalio/client';
import { workflowId } from './workflow-engine.ts';

/** When a workflow counts as stuck: its pending task has failed this often, and was first scheduled this long ago. */
export interface StuckLimits {
  attempts: number;
  ageS: number;
}

/**
 * The limits of production. The SDK lets a task that has failed once time out after 10 s, and Temporal waits longer from
 * try to try, so that the fifth one comes after a minute or two. Five minutes are longer than the restart of a worker.
 */
export const stuckLimits: StuckLimits = { attempts: 5, ageS: 300 };

/** A run whose task fails again and again, so that nothing more happens in it. */
export interface StuckRun {
  eventId: string;
  runId: string;
}

/** A healthy server answers in milliseconds. */
const callLimitMs = 3_000;

/** Shown with the run in Temporal's Web UI. */
const reason = "its workflow task failed again and again; the sweep starts another run from the event's row";

/** Finds and ends runs of events' workflows that are stuck. */
export class StuckWorkflows {
  readonly #connection: ConnectionLike;
  readonly #client: Client;
  readonly #limits: StuckLimits;

  constructor(options: { connection: ConnectionLike; namespace: string; limits: StuckLimits }) {
    this.#connection = options.connection;
    this.#client = new Client({ connection: options.connection, namespace: options.namespace });
    this.#limits = options.limits;
  }

  /**
   * The stuck run of the event's workflow; null if the workflow is not stuck, or does not run.
   *
   * @throws the errors of Temporal's client.
   */
  async find(eventId: string): Promise<StuckRun | null> {
    try {
      const { runId, status, raw } = await this.#call(() =>
        this.#client.workflow.getHandle(workflowId(eventId)).describe(),
      );
      const task = raw.pendingWorkflowTask;
      if (status.name !== 'RUNNING' || !task) return null;
      const ageS = Date.now() / 1000 - Number(task.originalScheduledTime?.seconds ?? Number.POSITIVE_INFINITY);
      return (task.attempt ?? 0) >= this.#limits.attempts && ageS >= this.#limits.ageS ? { eventId, runId } : null;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  }

  /**
   * How many runs of the event's workflow were terminated in the last `seconds`, by the sweep or by an operator. Temporal
   * counts a run some moments after its end.
   */
  async terminatedWithin(eventId: string, seconds: number): Promise<number> {
    const since = new Date(Date.now() - seconds * 1000).toISOString();
    const query = `WorkflowId = '${workflowId(eventId)}' AND ExecutionStatus = 'Terminated' AND CloseTime > '${since}'`;
    return (await this.#call(() => this.#client.workflow.count(query))).count;
  }

  /** Terminates this run, unless it has ended by itself. */
  async end({ eventId, runId }: StuckRun): Promise<void> {
    try {
      await this.#call(() => this.#client.workflow.getHandle(workflowId(eventId), runId).terminate(reason));
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  #call<T>(call: () => Promise<T>): Promise<T> {
    return this.#connection.withDeadline(Date.now() + callLimitMs, call);
  }
}
