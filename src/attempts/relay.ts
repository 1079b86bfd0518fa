import type { DeliverySchedule } from '../../workflows/messages.ts';
import type { Sql } from '../database/sql.ts';
import type { Attempts } from '../delivery/attempt/attempt.ts';
import type { HandOver } from '../events/hand-over.ts';
import { ClaimHolder } from '../processes/claim-holder.ts';
import { ClaimReturns } from '../processes/claim-returns.ts';
import type { Log } from '../shared/log.ts';
import { FirstAttempts } from './first-attempts.ts';

/** The part of an `api` that delivers: it makes first attempts, and leaves everything else to workers (src/engine/dispatcher.ts). */
export class AttemptRelay {
  readonly #holder: ClaimHolder;
  readonly #firstAttempts: FirstAttempts;

  constructor(options: {
    sql: Sql;
    databaseUrl: string;
    attempts: Attempts;
    schedule: DeliverySchedule;
    log: Log;
  }) {
    const { sql, databaseUrl, log, attempts, schedule } = options;
    const holder = new ClaimHolder({
      ...{ sql, databaseUrl, role: 'api', log },
      begun: () => this.#firstAttempts.begun,
      onClaimable: () => this.#firstAttempts.wake(),
      onResumed: () => this.#firstAttempts.wake(),
      onQueued: (consumerId) => this.#firstAttempts.wake(consumerId),
    });
    this.#holder = holder;
    this.#firstAttempts = new FirstAttempts({
      ...{ sql, attempts, claims: holder.claims, schedule, log },
      returns: new ClaimReturns(sql),
      isAlive: () => holder.heartbeat.isAlive,
      paused: () => holder.pause.paused,
    });
  }

  /** Where events go that this process accepts. */
  get handOver(): HandOver {
    return this.#firstAttempts.handOver;
  }

  /** @returns a promise that resolves when events can be taken, with the first heartbeat. */
  start(): Promise<void> {
    const started = this.#holder.start();
    this.#firstAttempts.start();
    return started;
  }

  /** Stops claiming and waits for the attempts in flight. */
  async stop(): Promise<void> {
    await this.#firstAttempts.stop();
    await this.#holder.stop();
  }
}
