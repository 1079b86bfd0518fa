import type { DeliverySchedule } from '../../workflows/messages.ts';
import type { Sql } from '../database/sql.ts';
import type { Attempts } from '../delivery/attempt/attempt.ts';
import type { HandOver } from '../events/hand-over.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Log } from '../shared/log.ts';
import { ClaimHolder } from './claim-holder.ts';
import { EngineLink } from './engine-link.ts';
import { FirstAttempts } from './first-attempts.ts';
import { type PermitMode, Permits } from './permits.ts';
import { QueueWrites } from './queue-writes.ts';
import { type WorkerBeside, WorkerNews } from './worker-news.ts';

/**
 * The relay of a process that accepts webhooks and has no Temporal worker: it makes first attempts, and leaves everything
 * else to the relay of the worker process beside it (relay.ts).
 */
export class FrontRelay {
  readonly #mode: PermitMode;
  readonly #claims: ClaimHolder;
  readonly #firstAttempts: FirstAttempts;
  readonly #news: WorkerNews;

  constructor(options: {
    sql: Sql;
    databaseUrl: string;
    attempts: Attempts;
    schedule: DeliverySchedule;
    firstAttempt: PermitMode;
    worker: WorkerBeside;
    metrics: Pick<Metrics, 'leaseLost'>;
    log: Log;
  }) {
    const { sql, databaseUrl, log, attempts, schedule, firstAttempt } = options;
    this.#mode = firstAttempt;
    const claims = new ClaimHolder({
      ...{ sql, databaseUrl, log, timeLimitMs: schedule.timeLimitMs },
      onClaimable: () => this.#firstAttempts.wake(),
      onResumed: () => this.#firstAttempts.wake(),
      onQueued: (accountId) => this.#firstAttempts.wake(accountId),
    });
    this.#claims = claims;
    this.#firstAttempts = new FirstAttempts({
      ...{ sql, attempts, leases: claims.leases, schedule, log },
      engine: new EngineLink(),
      writes: new QueueWrites(sql),
      permits: new Permits({ mode: firstAttempt, size: 0, keepsUp: () => false }),
      metrics: options.metrics,
      scope: 'direct',
      holdsLock: () => claims.holdsLock,
      paused: () => claims.pause.paused,
      onMoved: (pending) => this.#news.moved(pending),
    });
    this.#news = new WorkerNews(options.worker, () => this.#firstAttempts.perSecond);
  }

  /** Where events go that this process accepts. */
  get handOver(): HandOver {
    return this.#firstAttempts.handOver;
  }

  start(): void {
    this.#claims.start();
    if (this.#mode !== 'workflow') this.#firstAttempts.start();
    this.#news.start();
  }

  /** Stops claiming and waits for the attempts in flight. */
  async stop(): Promise<void> {
    await this.#firstAttempts.stop();
    this.#news.stop();
    await this.#claims.stop();
  }
}
