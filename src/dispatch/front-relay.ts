import type { DeliverySchedule } from '../../workflows/messages.ts';
import type { Sql } from '../database/sql.ts';
import type { Attempts } from '../delivery/attempt/attempt.ts';
import { channels } from '../events/event.ts';
import type { HandOver } from '../events/hand-over.ts';
import { pauseChannel } from '../events/pause.ts';
import type { Log } from '../shared/log.ts';
import { EngineLink } from './engine-link.ts';
import { FirstAttempts } from './first-attempts.ts';
import { Leases } from './leases.ts';
import { Listener } from './listener.ts';
import { PauseWatch } from './pause-watch.ts';
import { type PermitMode, Permits } from './permits.ts';
import { QueueWrites } from './queue-writes.ts';
import { Takeover } from './takeover.ts';
import { type WorkerBeside, WorkerNews } from './worker-news.ts';

/**
 * The relay of a process that accepts webhooks and has no Temporal worker: it makes first attempts, and leaves everything
 * else to the relay of the worker process beside it (relay.ts).
 */
export class FrontRelay {
  readonly #mode: PermitMode;
  readonly #leases: Leases;
  readonly #takeover: Takeover;
  readonly #listener: Listener;
  readonly #firstAttempts: FirstAttempts;
  readonly #pause: PauseWatch;
  readonly #news: WorkerNews;

  constructor(options: {
    sql: Sql;
    databaseUrl: string;
    attempts: Attempts;
    schedule: DeliverySchedule;
    firstAttempt: PermitMode;
    worker: WorkerBeside;
    log: Log;
  }) {
    const { sql, log, attempts, schedule, firstAttempt } = options;
    this.#mode = firstAttempt;
    const leases = new Leases({ sql, log, timeLimitMs: schedule.timeLimitMs });
    this.#leases = leases;
    const takeover = new Takeover({ leases, log, onClaimable: () => this.#firstAttempts.wake() });
    this.#takeover = takeover;
    this.#pause = new PauseWatch({ sql, log, onResumed: () => this.#firstAttempts.wake() });
    this.#firstAttempts = new FirstAttempts({
      ...{ sql, attempts, leases, schedule, log },
      engine: new EngineLink(),
      writes: new QueueWrites(sql),
      permits: new Permits({ mode: firstAttempt, size: 0, keepsUp: () => false }),
      scope: 'direct',
      holdsLock: () => takeover.holdsLock,
      paused: () => this.#pause.paused,
      onMoved: (pending) => this.#news.moved(pending),
    });
    this.#news = new WorkerNews(options.worker, () => this.#firstAttempts.perSecond);
    this.#listener = new Listener({
      url: options.databaseUrl,
      user: takeover,
      log,
      handlers: {
        // The account whose event waits; empty for any.
        [channels.queue]: (accountId) => this.#firstAttempts.wake(accountId || null),
        [pauseChannel]: () => this.#pause.wake(),
      },
    });
  }

  /** Where events go that this process accepts. */
  get handOver(): HandOver {
    return this.#firstAttempts.handOver;
  }

  start(): void {
    this.#leases.start();
    this.#listener.start();
    this.#takeover.start();
    this.#pause.start();
    if (this.#mode !== 'workflow') this.#firstAttempts.start();
    this.#news.start();
  }

  /** Stops claiming and waits for the attempts in flight. */
  async stop(): Promise<void> {
    await Promise.all([this.#pause.stop(), this.#firstAttempts.stop()]);
    this.#news.stop();
    this.#leases.stop();
    // Last, because other processes take over the claims of a process without its session.
    await this.#takeover.stop();
    await this.#listener.stop();
  }
}
