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
  /** Called with the connection when the worker runs, and with null when it does not any more. */
  onConnection(connection: NativeConnection | null): void;
}

/**
 * The settings of a worker. Also the benchmark's floor uses them, so that both are measured under the same ones.
 */
export const workerSettings = {
  // An attempt holds its slot for as long as a consumer takes, so many of them wait for slow consumers at once.
  maxConcurrentActivityTaskExecutions: 1_000,
  maxConcurrentWorkflowTaskExecutions: 40,
  // Attempts are handed out with the workflow task's answer, unless the worker is full.
  maxEagerActivityReservationsPerWorkflowTask: 3,
  // Waiting workflows cost memory (about 1 MB for four) and come back from their history when they are needed.
  maxCachedWorkflows: 1_000,
  shutdownGraceTime: '20s',
} as const;

/** Runs the Temporal worker: connects, and connects again whenever it ends before it is told to. */
export class EngineWorker {
  readonly #options: EngineWorkerOptions;
  readonly #stopping = new AbortController();
  #worker: Worker | null = null;
  #running: Promise<void> | null = null;

  constructor(options: EngineWorkerOptions) {
    this.#options = options;
  }

  /** Returns at once; the first connection may take as long as the server is away. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Lets activities in flight end. */
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
        });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const advice = connectionAdvice(temporal, error);
        log.warn(
          { address: temporal.address, reason, ...(advice === null ? {} : { advice }), againInMs: delayMs },
          'Temporal cannot be used at the moment; first attempts go on without it',
        );
      }
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
      onRunning();
      onConnection(connection);
      await ended;
    } finally {
      this.#worker = null;
      onConnection(null);
      await connection.close();
    }
  }
}
