import { Client, type ConnectionLike, WorkflowNotFoundError } from '@temporalio/client';
import { workflowId } from './workflow-engine.ts';

/** When a workflow counts as stuck: its pending task has failed this often, and was first scheduled this long ago. */
export interface StuckLimits {
  attempts: number;
  ageS: number;
}

/**
 * The limits of production. Of a task that has failed once, the SDK lets the further tries time out: the fifth one begins
 * after half a minute (server 1.29.1). Five minutes are longer than the restart of a worker.
 */
export const stuckLimits: StuckLimits = { attempts: 5, ageS: 300 };

/** A run whose task fails again and again, so that nothing more happens in it. */
export interface StuckRun {
  eventId: string;
  runId: string;
}

/** A healthy server answers in milliseconds. */
const callLimitMs = 3_000;

/** Enough for the events of the task's first try: scheduled, started, failed. */
const lastEvents = 10;

/** Shown with the run in Temporal's Web UI. */
const reason = "its workflow task failed again and again; another run continues from the event's row";

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
      const { runId, raw } = await this.#call(() => this.#client.workflow.getHandle(workflowId(eventId)).describe());
      if ((raw.pendingWorkflowTask?.attempt ?? 0) < this.#limits.attempts) return null;
      const run = { eventId, runId };
      const scheduledS = await this.#scheduledS(run);
      return scheduledS !== null && Date.now() / 1000 - scheduledS >= this.#limits.ageS ? run : null;
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

  /**
   * When the pending task of this run was first scheduled, in seconds since 1970. That is in the history, where further
   * tries leave no events: of the pending task, Temporal tells when its present try was scheduled, also as
   * `originalScheduledTime` (server 1.29.1).
   */
  async #scheduledS({ eventId, runId }: StuckRun): Promise<number | null> {
    const { history } = await this.#call(() =>
      this.#connection.workflowService.getWorkflowExecutionHistoryReverse({
        namespace: this.#client.options.namespace,
        execution: { workflowId: workflowId(eventId), runId },
        maximumPageSize: lastEvents,
      }),
    );
    const first = history?.events?.find((event) => event.workflowTaskScheduledEventAttributes?.attempt === 1);
    return first ? Number(first.eventTime?.seconds) : null;
  }

  #call<T>(call: () => Promise<T>): Promise<T> {
    return this.#connection.withDeadline(Date.now() + callLimitMs, call);
  }
}
