import { setTimeout as sleep } from 'node:timers/promises';
import { type NativeConnection, Worker } from '@temporalio/worker';
import type { MaintenanceActivities } from '../../workflows/maintenance-messages.ts';
import type { DeliveryActivities } from '../../workflows/messages.ts';
import type { Log } from '../shared/log.ts';
import { connectTemporal, type TemporalOptions } from './connection.ts';
import { connectionAdvice } from './connection-advice.ts';
import { registerSearchAttributes } from './search-attributes.ts';

const firstDelayMs = 200;
const longestDelayMs = 5_000;

export interface EngineWorkerOptions {
  temporal: TemporalOptions;
  activities: DeliveryActivities & MaintenanceActivities;
  workflowBundle: { code: string };
  log: Log;
  /** Called with the connection when the worker starts to run, and with null when it stops. */
  onConnection(connection: NativeConnection | null): void;
}

/** The settings of a worker. The benchmark's baseline uses the same ones, so that the results are comparable. */
export const workerSettings = {
  // Many slots, because an attempt occupies its slot until the consumer responds.
  maxConcurrentActivityTaskExecutions: 1_000,
  maxConcurrentWorkflowTaskExecutions: 40,
  // Attempts start with the response to the workflow task, unless all slots are occupied.
  maxEagerActivityReservationsPerWorkflowTask: 3,
  // A cached workflow needs about 250 KB. Others are rebuilt from their history when they are needed.
  maxCachedWorkflows: 1_000,
  // The SDK would send heartbeats only after 80 % of their timeout. Half of the timeout in workflows/activities.ts leaves
  // time for a slow server.
  maxHeartbeatThrottleInterval: '4s',
  shutdownGraceTime: '20s',
} as const;

/** Runs the Temporal worker. It reconnects with a backoff when the worker ends before `stop()`. */
export class EngineWorker {
  readonly #options: EngineWorkerOptions;
  readonly #stopping = new AbortController();
  #worker: Worker | null = null;
  #running: Promise<void> | null = null;
  readonly #tried = Promise.withResolvers<void>();

  constructor(options: EngineWorkerOptions) {
    this.#options = options;
  }

  /** Resolves when the worker runs for the first time, or when its first try has failed. */
  get tried(): Promise<void> {
    return this.#tried.promise;
  }

  /** Starts in the background. The first connection succeeds once the server is available. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Shuts the worker down gracefully: waits for the activities in flight. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#worker?.getState() === 'RUNNING') this.#worker.shutdown();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { log, temporal } = this.#options;
    const { signal } = this.#stopping;
    let delayMs = firstDelayMs;
    while (!signal.aborted) {
      try {
        await this.#runOnce(() => {
          delayMs = firstDelayMs;
          this.#tried.resolve();
        });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const advice = connectionAdvice(temporal, error);
        log.warn(
          { address: temporal.address, reason, ...(advice === null ? {} : { advice }), againInMs: delayMs },
          'Temporal unavailable, retrying; first attempts continue without it',
        );
      }
      this.#tried.resolve();
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      delayMs = Math.min(delayMs * 2, longestDelayMs);
    }
  }

  async #runOnce(onRunning: () => void): Promise<void> {
    const { temporal, activities, workflowBundle, onConnection } = this.#options;
    const connection: NativeConnection = await connectTemporal(temporal);
    try {
      await registerSearchAttributes(connection, temporal.namespace);
      const worker = await Worker.create({
        connection,
        namespace: temporal.namespace,
        taskQueue: temporal.taskQueue,
        workflowBundle,
        activities,
        ...workerSettings,
      });
      if (this.#stopping.signal.aborted) return;
      this.#worker = worker;
      const ended = worker.run();
      onConnection(connection);
      onRunning();
      await ended;
    } finally {
      this.#worker = null;
      onConnection(null);
      await connection.close();
    }
  }
}
