import {
  defaultPayloadConverter,
  isGrpcServiceError,
  WorkflowClient,
  type WorkflowStartInput,
} from '@temporalio/client';
import type { DeliverEventInput, DeliveryResult } from '../../workflows/messages.ts';
import type { Log } from '../shared/log.ts';

/** COMPLETE_WORKFLOW_EXECUTION of temporal.api.enums.v1.CommandType. */
const completeWorkflow = 4;
/** The gRPC status code ALREADY_EXISTS. */
const alreadyExists = 6;

/**
 * Starts workflows of deliveries that have ended. Such a workflow only makes its event visible in Temporal: its first
 * task completes it. So the starter asks for this task with the start and answers it itself, which costs half of what a
 * worker would (docs/decisions/which-events-get-a-workflow.md). The history is the one that a worker writes.
 *
 * Needs a connection that is not the worker's own: that one would give the task to the worker.
 */
export class EndedWorkflows extends WorkflowClient {
  readonly #log: Log;

  constructor({ log, ...options }: ConstructorParameters<typeof WorkflowClient>[0] & { log: Log }) {
    super(options);
    this.#log = log;
  }

  /**
   * @param options `args` is the input of a delivery that has ended.
   * @returns the run's id; null when there is a workflow already.
   */
  async startEnded(
    options: Pick<
      WorkflowStartInput['options'],
      'workflowId' | 'taskQueue' | 'typedSearchAttributes' | 'staticSummary' | 'staticDetails'
    > & {
      args: [DeliverEventInput];
    },
  ): Promise<string | null> {
    const request = await this.createStartWorkflowRequest({ workflowType: 'deliverEvent', headers: {}, options });
    try {
      const started = await this.workflowService.startWorkflowExecution({ ...request, requestEagerExecution: true });
      const { runId, eagerWorkflowTask: task } = started;
      // A server that gives no task out leaves it to a worker.
      if (task?.taskToken) await this.#complete(task.taskToken, resultOf(options.args[0]));
      return runId;
    } catch (error) {
      if (isGrpcServiceError(error) && error.code === alreadyExists) return null;
      throw error;
    }
  }

  /** The workflow runs: after any failure, and after a signal that has come in between, a worker completes it. */
  async #complete(taskToken: Uint8Array, result: DeliveryResult): Promise<void> {
    const { namespace, identity } = this.options;
    const completeWorkflowExecutionCommandAttributes = {
      result: { payloads: [defaultPayloadConverter.toPayload(result)] },
    };
    const commands = [{ commandType: completeWorkflow, completeWorkflowExecutionCommandAttributes }];
    await this.workflowService
      .respondWorkflowTaskCompleted({ namespace, identity, taskToken, commands })
      .catch((error: unknown) => {
        this.#log.debug({ err: error }, 'task of an ended workflow not answered, a worker completes it');
      });
  }
}

/** What the workflow returns for this input (workflows/deliver-event.ts). */
const resultOf = ({ generation, resume }: DeliverEventInput): DeliveryResult => ({
  outcome: 'already_settled',
  ...(resume.deliveryStatus && { deliveryStatus: resume.deliveryStatus }),
  generation,
  attempts: resume.attempts,
});
