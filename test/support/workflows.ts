import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { deliverEvent } from '../../workflows/index.ts';
import {
  type DeliverEventInput,
  type DeliveryResult,
  type DeliveryState,
  stateQuery,
} from '../../workflows/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import type { TestGateway } from './gateway.ts';
import { textsIn } from './history.ts';
import { connectTo } from './temporal-connection.ts';
import { until } from './until.ts';

export interface Workflows {
  /** Waits for the event's workflow and returns the result of its latest run. */
  result(eventId: string): Promise<DeliveryResult>;
  state(eventId: string): Promise<DeliveryState>;
  /** The status of a run, such as `RUNNING`. Default: the latest run. */
  status(eventId: string, runId?: string): Promise<{ status: string; runId: string }>;
  /** How many signals a run has received. */
  signals(eventId: string, runId: string): Promise<number>;
  /** The names of the activities that the latest run has scheduled. */
  activities(eventId: string): Promise<string[]>;
  /** All texts and bytes in the history of the latest run. */
  text(eventId: string): Promise<string>;
  /** The search attributes of the workflow. */
  attributes(eventId: string): Promise<Record<keyof typeof searchAttributes, unknown>>;
  /** Starts the workflow before the gateway does, with another input. */
  start(input: DeliverEventInput): Promise<void>;
  /**
   * Sends a signal to the event's workflow, as an operator does in the Web UI, with any arguments. A `RawValue` among them
   * is sent with its own encoding.
   */
  signal(eventId: string, name: string, args: unknown[]): Promise<void>;
  /** Sends an update with one argument in the same way, and waits for its result. */
  update(eventId: string, name: string, content: unknown): Promise<unknown>;
  /** Starts the event's workflow, as an operator does in the Web UI, with any arguments. */
  startOddly(eventId: string, args: unknown[]): Promise<void>;
  /** Starts a workflow with the event's id whose task fails for ever, because no worker has its type. */
  startFailing(eventId: string): Promise<void>;
  /** Whether Temporal has a workflow of the event now. */
  exists(eventId: string): Promise<boolean>;
  /** Terminates the running workflow. */
  terminate(eventId: string): Promise<void>;
  /** Deletes the workflow with its history. */
  remove(eventId: string): Promise<void>;
  close(): Promise<void>;
}

const idOf = (eventId: string) => `event-${eventId}`;

/** Opens a client for a gateway's workflows in Temporal. */
export async function openWorkflows({ temporal }: TestGateway): Promise<Workflows> {
  const connection = await connectTo(temporal.address);
  const { workflow } = new Client({ connection, namespace: temporal.namespace });
  const whenStarted = <T>(what: string, ask: () => Promise<T>) =>
    until(what, () =>
      ask().catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return null;
        throw error;
      }),
    );
  const describe = (eventId: string, runId?: string) =>
    whenStarted('the workflow is started', () => workflow.getHandle(idOf(eventId), runId).describe());
  return {
    result: (eventId) =>
      whenStarted('the workflow is started', () => workflow.getHandle<typeof deliverEvent>(idOf(eventId)).result()),
    state: (eventId) => workflow.getHandle(idOf(eventId)).query(stateQuery),
    async status(eventId, runId) {
      const described = await describe(eventId, runId);
      return { status: described.status.name, runId: described.runId };
    },
    async signals(eventId, runId) {
      const { events } = await workflow.getHandle(idOf(eventId), runId).fetchHistory();
      return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes).length;
    },
    async activities(eventId) {
      const { events } = await workflow.getHandle(idOf(eventId)).fetchHistory();
      return (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []);
    },
    async text(eventId) {
      const { events } = await workflow.getHandle(idOf(eventId)).fetchHistory();
      return textsIn(events).join('\n');
    },
    async attributes(eventId) {
      const { typedSearchAttributes: found } = await describe(eventId);
      return {
        provider: found.get(searchAttributes.provider),
        account: found.get(searchAttributes.account),
        appKey: found.get(searchAttributes.appKey),
        eventType: found.get(searchAttributes.eventType),
        deliveryStatus: found.get(searchAttributes.deliveryStatus),
        attempt: found.get(searchAttributes.attempt),
      };
    },
    async start(input) {
      await workflow.start<typeof deliverEvent>('deliverEvent', {
        workflowId: idOf(input.eventId),
        taskQueue: temporal.taskQueue,
        args: [input],
      });
    },
    async startOddly(eventId, args) {
      await workflow.start('deliverEvent', { workflowId: idOf(eventId), taskQueue: temporal.taskQueue, args });
    },
    async startFailing(eventId) {
      await workflow.start('unknownType', { workflowId: idOf(eventId), taskQueue: temporal.taskQueue });
    },
    async signal(eventId, name, args) {
      await workflow.getHandle(idOf(eventId)).signal(name, ...args);
    },
    update: (eventId, name, content) =>
      workflow.getHandle(idOf(eventId)).executeUpdate<unknown, [unknown]>(name, { args: [content] }),
    exists: (eventId) =>
      workflow
        .getHandle(idOf(eventId))
        .describe()
        .then(
          () => true,
          (error: unknown) => {
            if (error instanceof WorkflowNotFoundError) return false;
            throw error;
          },
        ),
    async terminate(eventId) {
      await workflow.getHandle(idOf(eventId)).terminate();
    },
    async remove(eventId) {
      const { namespace } = temporal;
      await connection.workflowService.deleteWorkflowExecution({
        ...{ namespace, workflowExecution: { workflowId: idOf(eventId) } },
      });
    },
    close: () => connection.close(),
  };
}
