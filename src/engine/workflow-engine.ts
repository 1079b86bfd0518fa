import {
  Client,
  type ConnectionLike,
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
import type { Log } from '../shared/log.ts';
import type { Command } from './command-rows.ts';
import { EndedWorkflows } from './ended-workflows.ts';
import { engineError } from './engine-errors.ts';
import { type EngineCall, inEngineSpan } from './engine-span.ts';
import { StartAttributes } from './start-attributes.ts';
import { startDetails } from './start-details.ts';
import type { Startable } from './startable.ts';

/** A healthy server answers in milliseconds. After this time, the event rather waits in the queue in PostgreSQL. */
const callLimitMs = 3_000;

export const workflowId = (eventId: string) => `event-${eventId}`;

interface StartOptions {
  workflowId: string;
  taskQueue: string;
  args: [DeliverEventInput];
  typedSearchAttributes: TypedSearchAttributes;
  staticSummary: string;
  staticDetails: string;
}

/** Starts and signals the workflows of events. */
export class WorkflowEngine {
  readonly #connection: ConnectionLike;
  readonly #namespace: string;
  readonly #client: Client;
  readonly #ended: EndedWorkflows;
  readonly #taskQueue: string;
  readonly #schedule: DeliverySchedule;
  readonly #eventLink: (eventId: string) => string;
  readonly #attributes: StartAttributes;

  constructor(options: {
    connection: ConnectionLike;
    /** A connection to the same server that is not the worker's. */
    ownConnection: ConnectionLike;
    namespace: string;
    taskQueue: string;
    schedule: DeliverySchedule;
    /** The address of an event's page in the console. */
    eventLink(eventId: string): string;
    log: Log;
  }) {
    this.#connection = options.connection;
    this.#namespace = options.namespace;
    this.#client = new Client({ connection: options.connection, namespace: options.namespace });
    this.#ended = new EndedWorkflows({
      connection: options.ownConnection,
      namespace: options.namespace,
      log: options.log,
    });
    this.#taskQueue = options.taskQueue;
    this.#schedule = options.schedule;
    this.#eventLink = options.eventLink;
    this.#attributes = new StartAttributes(options.log);
  }

  /**
   * Asks whether Temporal serves the namespace, with a request that each Temporal worker makes at its start.
   *
   * @throws EngineUnavailable
   */
  async ping(): Promise<void> {
    const namespace = this.#namespace;
    await this.#limited(() => this.#connection.workflowService.describeNamespace({ namespace }));
  }

  /**
   * Makes sure that the event's workflow runs its present generation: starts the workflow, or signals a running one.
   *
   * @returns the run's id; null when a workflow was already running, because its run is not known.
   * @throws EngineUnavailable, EngineRefused
   */
  async ensureRunning(event: Startable): Promise<string | null> {
    // The sweep queues an event again whose workflow has had this signal. A second one would tell it nothing, and Temporal
    // would count the tries of a failing workflow task from 1 again, so that it never counts as stuck.
    const isReplay = event.generation > 0 && event.startedGeneration < event.generation;
    return this.#start(isReplay ? 'SignalWithStartWorkflow' : 'StartWorkflow', event, async (options) => {
      if (isReplay) {
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
      // Nothing is left to do.
      if (options.args[0].resume.settled && !event.notifications)
        return this.#ended.connection.withDeadline(Date.now() + callLimitMs, () => this.#ended.startEnded(options));
      try {
        const handle = await this.#client.workflow.start<typeof deliverEvent>('deliverEvent', {
          ...options,
          // Also works with builds (server 1.29.1). The first task then runs on this worker's build, whether it is the
          // current one or not; the workflow follows the current build from its next task on.
          requestEagerStart: true,
        });
        return handle.firstExecutionRunId;
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
        throw error;
      }
    });
  }

  /**
   * Signals an operator's command to the workflow. A retry also starts the workflow if it has ended, or if the event had
   * none.
   *
   * @returns the run that the retry was signaled to; null for other commands.
   * @throws EngineUnavailable, EngineRefused
   */
  async deliver(command: Command, event: Startable): Promise<string | null> {
    const { generation } = command;
    if (command.kind === 'retry') {
      const signalArgs: [RetryRequest] = [{ generation, number: command.number }];
      return this.#start('SignalWithStartWorkflow', event, async (options) => {
        const started = await this.#client.workflow.signalWithStart<typeof deliverEvent, [RetryRequest]>(
          'deliverEvent',
          { ...options, signal: retrySignal, signalArgs },
        );
        return started.signaledRunId;
      });
    }
    return this.#call('SignalWorkflow', event, async () => {
      const handle = this.#client.workflow.getHandle(workflowId(command.eventId));
      try {
        switch (command.kind) {
          case 'ack':
            await handle.signal(ackSignal, { generation });
            return null;
          case 'fail':
            await handle.signal(failSignal, { generation, dead: command.dead });
            return null;
          case 'account_deleted':
            await handle.signal(failSignal, { generation, dead: true, accountDeleted: true });
            return null;
          default:
            return command satisfies never;
        }
      } catch (error) {
        // The workflow has already ended, or there never was one, so the command has nothing to stop.
        if (error instanceof WorkflowNotFoundError) return null;
        throw error;
      }
    });
  }

  #start<T>(name: EngineCall, event: Startable, start: (options: StartOptions) => Promise<T>): Promise<T> {
    return this.#attributes.start((attributes) =>
      this.#call(name, event, () => start(this.#startOptions(event, attributes))),
    );
  }

  #startOptions(event: Startable, attributes: 'with' | 'without'): StartOptions {
    const { delaysMs } = event;
    const schedule = delaysMs === null ? this.#schedule : { ...this.#schedule, delaysMs };
    const input: DeliverEventInput = {
      eventId: event.eventId,
      generation: event.generation,
      schedule,
      resume: {
        attempts: event.scheduledAttempts,
        nextAttemptAt: event.nextAttemptAt?.toISOString() ?? null,
        settled: event.deliveryStatus !== 'pending',
        deliveryStatus: event.deliveryStatus,
        ...(event.lastAttempt && { lastAttempt: event.lastAttempt }),
      },
      ...(event.notifications && { notifications: event.notifications }),
      ...(attributes === 'with' ? {} : { withoutSearchAttributes: true }),
    };
    return {
      workflowId: workflowId(event.eventId),
      taskQueue: this.#taskQueue,
      args: [input],
      typedSearchAttributes: new TypedSearchAttributes(attributes === 'with' ? attributesOf(event) : []),
      ...startDetails(event, { schedule, eventLink: this.#eventLink }),
    };
  }

  #call<T>(name: EngineCall, event: Startable, call: () => Promise<T>): Promise<T> {
    return inEngineSpan(name, workflowId(event.eventId), event, () => this.#limited(call));
  }

  async #limited<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await this.#connection.withDeadline(Date.now() + callLimitMs, call);
    } catch (error) {
      throw engineError(error);
    }
  }
}

/** The limit of a keyword in Temporal's SQL visibility store. Event types may be longer in UTF-8, so they are cut. */
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
