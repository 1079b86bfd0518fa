import { randomUUID } from 'node:crypto';
import { Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { deliverEvent } from '../../workflows/index.ts';
import { type DeliverEventInput, type DeliveryResult, exhaustedFailure, stateQuery } from '../../workflows/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import type { TestGateway } from './gateway.ts';
import { textsIn } from './history.ts';
import { connectTo } from './temporal-connection.ts';
import { until } from './until.ts';

/** The result of a delivery. That of an exhausted one is in the failure with which its workflow ends. */
export async function resultOf(handle: { result(): Promise<DeliveryResult> }): Promise<DeliveryResult> {
  try {
    return await handle.result();
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : null;
    if (!(cause instanceof ApplicationFailure) || cause.type !== exhaustedFailure) throw error;
    return cause.details?.[0] as DeliveryResult;
  }
}

const idOf = (eventId: string) => `event-${eventId}`;

/** Resets a run to its first task, as a person does in the Web UI. Returns the run that begins there. */
export async function resetRun(
  { workflow, workflowService, options }: Client,
  run: { workflowId: string; runId: string },
): Promise<{ runId: string }> {
  const { events } = await workflow.getHandle(run.workflowId, run.runId).fetchHistory();
  const first = events?.find(({ workflowTaskCompletedEventAttributes }) => workflowTaskCompletedEventAttributes);
  return workflowService.resetWorkflowExecution({
    ...{ namespace: options.namespace, workflowExecution: run, reason: 'by hand' },
    ...{ workflowTaskFinishEventId: first?.eventId, requestId: randomUUID() },
  });
}

/** Opens a client for a gateway's workflows in Temporal. */
export async function openWorkflows({ temporal }: TestGateway) {
  const connection = await connectTo(temporal.address);
  const client = new Client({ connection, namespace: temporal.namespace });
  const { workflow } = client;
  const whenStarted = <T>(what: string, ask: () => Promise<T>) =>
    until(what, () =>
      ask().catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return null;
        throw error;
      }),
    );
  const describe = (eventId: string, runId?: string) =>
    whenStarted('the workflow is started', () => workflow.getHandle(idOf(eventId), runId).describe());
  /** One call ends the present workflow and starts another: of one that was terminated before, the gateway starts one itself. */
  const startInPlace = async (eventId: string, workflowType: string, args: unknown[]) => {
    const started = await workflow.start(workflowType, {
      ...{ workflowId: idOf(eventId), taskQueue: temporal.taskQueue, args },
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    });
    return started.firstExecutionRunId;
  };
  return {
    /**
     * Waits for the event's workflow and returns the result of a run, or of the one as which it continues, also of one that
     * ends as failed. Default: the latest run.
     */
    result: (eventId: string, runId?: string) =>
      whenStarted('the workflow is started', () =>
        resultOf(workflow.getHandle<typeof deliverEvent>(idOf(eventId), runId)),
      ),
    state: (eventId: string) => workflow.getHandle(idOf(eventId)).query(stateQuery),
    /** The status of a run, such as `RUNNING`. Default: the latest run. */
    async status(eventId: string, runId?: string) {
      const described = await describe(eventId, runId);
      return { status: described.status.name, runId: described.runId };
    },
    /** How many signals a run has received. */
    async signals(eventId: string, runId: string) {
      const { events } = await workflow.getHandle(idOf(eventId), runId).fetchHistory();
      return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes).length;
    },
    /** Why a run was terminated, as its history has it. */
    async terminationReason(eventId: string, runId: string) {
      const { events } = await workflow.getHandle(idOf(eventId), runId).fetchHistory();
      return events?.at(-1)?.workflowExecutionTerminatedEventAttributes?.reason;
    },
    /** The names of the activities that the latest run has scheduled. */
    async activities(eventId: string) {
      const { events } = await workflow.getHandle(idOf(eventId)).fetchHistory();
      return (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []);
    },
    /** How often the latest run's history has what Temporal Cloud bills (https://docs.temporal.io/cloud/actions). */
    async actions(eventId: string) {
      const { events } = await workflow.getHandle(idOf(eventId)).fetchHistory();
      const count = (attributes: keyof NonNullable<typeof events>[number]) =>
        (events ?? []).filter((event) => event[attributes]).length;
      return {
        starts: count('workflowExecutionStartedEventAttributes'),
        activities: count('activityTaskScheduledEventAttributes'),
        timers: count('timerStartedEventAttributes'),
        upserts: count('upsertWorkflowSearchAttributesEventAttributes'),
        signals: count('workflowExecutionSignaledEventAttributes'),
        markers: count('markerRecordedEventAttributes'),
      };
    },
    /** All texts and bytes in the history of the latest run. */
    async text(eventId: string) {
      const { events } = await workflow.getHandle(idOf(eventId)).fetchHistory();
      return textsIn(events).join('\n');
    },
    /** The search attributes of the workflow. */
    async attributes(eventId: string) {
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
    /** Starts the workflow before the gateway does, with another input. */
    async start(input: DeliverEventInput) {
      await workflow.start<typeof deliverEvent>('deliverEvent', {
        workflowId: idOf(input.eventId),
        taskQueue: temporal.taskQueue,
        args: [input],
      });
    },
    /** Starts the event's workflow, as an operator does in the Web UI, with any arguments. Returns the run. */
    startOddly: (eventId: string, args: unknown[]) => startInPlace(eventId, 'deliverEvent', args),
    /** Starts a workflow with the event's id whose task fails for ever, because no worker has its type. Returns the run. */
    startFailing: (eventId: string) => startInPlace(eventId, 'unknownType', []),
    /**
     * Sends a signal to the event's workflow, as an operator does in the Web UI, with any arguments. A `RawValue` among them
     * is sent with its own encoding.
     */
    async signal(eventId: string, name: string, args: unknown[]) {
      await workflow.getHandle(idOf(eventId)).signal(name, ...args);
    },
    /** Sends an update with one argument in the same way, and waits for its result. */
    update: (eventId: string, name: string, content: unknown) =>
      workflow.getHandle(idOf(eventId)).executeUpdate<unknown, [unknown]>(name, { args: [content] }),
    /** The latest run as it is now, without waiting. Null if Temporal has no workflow of the event, or no longer. */
    latestRun: (eventId: string) =>
      workflow
        .getHandle(idOf(eventId))
        .describe()
        .then(
          ({ status, runId }) => ({ status: status.name, runId }),
          (error: unknown) => {
            if (error instanceof WorkflowNotFoundError) return null;
            throw error;
          },
        ),
    /** Asks for the cancellation of the running workflow. */
    async cancel(eventId: string) {
      await workflow.getHandle(idOf(eventId)).cancel();
    },
    /** Terminates the running workflow. */
    async terminate(eventId: string) {
      await workflow.getHandle(idOf(eventId)).terminate();
    },
    /** Resets the latest run to its first task, and returns the run that begins there. */
    async reset(eventId: string): Promise<string> {
      const { runId } = await describe(eventId);
      return (await resetRun(client, { workflowId: idOf(eventId), runId })).runId;
    },
    /** Deletes the workflow with its history, which the server does shortly afterwards. */
    async remove(eventId: string) {
      const { namespace } = temporal;
      await connection.workflowService.deleteWorkflowExecution({
        ...{ namespace, workflowExecution: { workflowId: idOf(eventId) } },
      });
    },
    close: () => connection.close(),
  };
}

export type Workflows = Awaited<ReturnType<typeof openWorkflows>>;
