import {
  Client,
  type ConnectionLike,
  isGrpcDeadlineError,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import type { deliverEvent } from '../../workflows/index.ts';
import {
  ackSignal,
  type DeliverEventInput,
  type DeliverySchedule,
  failSignal,
  type ReplayRequest,
  type RetryRequest,
  replaySignal,
  retrySignal,
} from '../../workflows/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import type { Command } from '../events/commands.ts';
import type { Startable } from '../events/startable.ts';

/** Temporal did not take a call: it is down, overloaded or does not answer. Whether it acted on the call is not known. */
export class EngineUnavailable extends Error {
  override name = 'EngineUnavailable';
}

/** A healthy server answers in milliseconds; longer waits belong to the queue in PostgreSQL, not to a call. */
const callLimitMs = 3_000;

/** The gRPC status code INVALID_ARGUMENT. */
const invalidArgument = 3;

export const workflowId = (eventId: string) => `event-${eventId}`;

/** Starts and signals the workflows of events. */
export class WorkflowEngine {
  readonly #connection: ConnectionLike;
  readonly #client: Client;
  readonly #taskQueue: string;
  readonly #schedule: DeliverySchedule;

  constructor(options: {
    connection: ConnectionLike;
    namespace: string;
    taskQueue: string;
    schedule: DeliverySchedule;
  }) {
    this.#connection = options.connection;
    this.#client = new Client({ connection: options.connection, namespace: options.namespace });
    this.#taskQueue = options.taskQueue;
    this.#schedule = options.schedule;
  }

  /**
   * Makes sure that the event's workflow runs its present generation: starts it, or tells the one that is running.
   *
   * @returns the run's id; null when a workflow ran already and its run is not known.
   * @throws EngineUnavailable
   */
  async ensureRunning(event: Startable): Promise<string | null> {
    const options = this.#startOptions(event);
    return this.#call(async () => {
      if (event.generation > 0) {
        const { generation, schedule, resume } = options.args[0];
        const handle = await this.#client.workflow.signalWithStart<typeof deliverEvent, [ReplayRequest]>(
          'deliverEvent',
          {
            ...options,
            signal: replaySignal,
            signalArgs: [{ generation, schedule, resume }],
          },
        );
        return handle.signaledRunId;
      }
      try {
        const handle = await this.#client.workflow.start<typeof deliverEvent>('deliverEvent', {
          ...options,
          requestEagerStart: true,
        });
        return handle.firstExecutionRunId;
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
        throw error;
      }
    });
  }

  /** Passes an operator's command on; a retry also starts the workflow of an event that has finished. */
  async deliver(command: Command, event: Startable): Promise<void> {
    await this.#call(async () => {
      const { generation } = command;
      if (command.kind === 'retry') {
        await this.#client.workflow.signalWithStart<typeof deliverEvent, [RetryRequest]>('deliverEvent', {
          ...this.#startOptions(event),
          signal: retrySignal,
          signalArgs: [{ generation, number: command.number }],
        });
        return;
      }
      const handle = this.#client.workflow.getHandle(workflowId(command.eventId));
      try {
        switch (command.kind) {
          case 'ack':
            return await handle.signal(ackSignal, { generation });
          case 'fail':
            return await handle.signal(failSignal, { generation, dead: command.dead });
          case 'account_deleted':
            return await handle.signal(failSignal, { generation, dead: true, accountDeleted: true });
          default:
            return command satisfies never;
        }
      } catch (error) {
        // It has ended already, so there is nobody to tell.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    });
  }

  #startOptions(event: Startable) {
    const input: DeliverEventInput = {
      eventId: event.eventId,
      generation: event.generation,
      schedule: this.#schedule,
      resume: {
        attempts: event.scheduledAttempts,
        nextAttemptAt: event.nextAttemptAt?.toISOString() ?? null,
        settled: event.deliveryStatus !== 'pending',
      },
    };
    const args: [DeliverEventInput] = [input];
    return {
      workflowId: workflowId(event.eventId),
      taskQueue: this.#taskQueue,
      args,
      typedSearchAttributes: new TypedSearchAttributes(attributesOf(event)),
    };
  }

  async #call<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await this.#connection.withDeadline(Date.now() + callLimitMs, call);
    } catch (error) {
      const cause = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
      // An argument that it refuses says nothing about the server.
      const refused = isGrpcServiceError(cause) && cause.code === invalidArgument;
      if (isGrpcDeadlineError(cause) || (isGrpcServiceError(cause) && !refused))
        throw new EngineUnavailable(`Temporal: ${cause.message}`, { cause: error });
      throw error;
    }
  }
}

/** A keyword of Temporal's visibility store has at most 255 bytes in SQL; event types may be longer in UTF-8. */
const maxKeywordBytes = 255;

function attributesOf(event: Startable): SearchAttributePair[] {
  const pairs: SearchAttributePair[] = [
    { key: searchAttributes.provider, value: keyword(event.provider) },
    { key: searchAttributes.account, value: keyword(event.accountSlug) },
    { key: searchAttributes.appKey, value: keyword(event.appKey) },
    { key: searchAttributes.deliveryStatus, value: event.deliveryStatus },
    { key: searchAttributes.attempt, value: event.scheduledAttempts },
  ];
  if (event.eventType !== null) pairs.push({ key: searchAttributes.eventType, value: keyword(event.eventType) });
  return pairs;
}

function keyword(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxKeywordBytes) return text;
  return bytes
    .subarray(0, maxKeywordBytes)
    .toString()
    .replace(/\uFFFD+$/, '');
}
