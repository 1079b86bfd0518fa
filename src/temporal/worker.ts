import { setTimeout as sleep } from 'node:timers/promises';
import type { NativeConnection, Worker } from '@temporalio/worker';
import type { Log } from '../shared/log.ts';
import { connectTemporal } from './connection.ts';
import { connectionAdvice } from './connection-advice.ts';
import { createQueueWorkers, type QueueWorkersOptions, runTogether, shutDown } from './queue-workers.ts';
import { registerSearchAttributes } from './search-attributes.ts';

const firstDelayMs = 200;
const longestDelayMs = 5_000;

export interface EngineWorkerOptions extends QueueWorkersOptions {
  log: Log;
  /** Called with the connection when the workers start to run, and with null when they stop. */
  onConnection(connection: NativeConnection | null): void;
}

/**
 * Runs the Temporal workers of this process: one for each queue that it takes, all on one connection. They reconnect with
 * a backoff when one of them ends before `stop()`.
 */
export class EngineWorker {
  readonly #options: EngineWorkerOptions;
  readonly #stopping = new AbortController();
  #workers: readonly Worker[] = [];
  #running: Promise<void> | null = null;
  readonly #tried = Promise.withResolvers<void>();

  constructor(options: EngineWorkerOptions) {
    this.#options = options;
  }

  /** Resolves when the workers run for the first time, or when their first try has failed. */
  get tried(): Promise<void> {
    return this.#tried.promise;
  }

  /** Starts in the background. The first connection succeeds once the server is available. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Shuts the workers down gracefully: waits for the activities in flight. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    shutDown(this.#workers);
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
    const { temporal, onConnection } = this.#options;
    const { signal } = this.#stopping;
    const connection: NativeConnection = await connectTemporal(temporal);
    try {
      await registerSearchAttributes(connection, temporal.namespace, this.#options.log);
      if (signal.aborted) return;
      this.#workers = await createQueueWorkers(connection, this.#options);
      const ended = runTogether(this.#workers);
      // A worker holds its connection until it has run, so one that is stopped during its creation runs, too.
      if (signal.aborted) shutDown(this.#workers);
      onConnection(connection);
      onRunning();
      await ended;
    } finally {
      this.#workers = [];
      onConnection(null);
      await connection.close();
    }
  }
}
