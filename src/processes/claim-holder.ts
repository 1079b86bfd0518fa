import type { Sql } from '../database/sql.ts';
import { channels } from '../events/event.ts';
import { pauseChannel } from '../events/pause.ts';
import type { Log } from '../shared/log.ts';
import type { Poller } from '../shared/poller.ts';
import { Heartbeat } from './heartbeat.ts';
import { HeldClaims } from './held-claims.ts';
import { Listener } from './listener.ts';
import { PauseWatch } from './pause-watch.ts';
import type { ProcessInfo } from './process-rows.ts';
import { watchQueueStatistics } from './queue-statistics.ts';

export interface ClaimHolderOptions {
  sql: Sql;
  databaseUrl: string;
  role: ProcessInfo['role'];
  log: Log;
  /** For a process that makes first attempts: how many it has begun since its start. */
  begun?(): number;
  /** Called when events can be claimed that another process had claimed before. */
  onClaimable(): void;
  /** Called after a pause of deliveries. */
  onResumed(): void;
  /** Called when an event waits in the queue for its first attempt: of this consumer, or, with null, of any. */
  onQueued(consumerId: string | null): void;
  /** Called when commands wait for the workflows of events. */
  onCommands?(): void;
}

/**
 * What every process needs that claims events: its claims, the heartbeat by which other processes see that it is alive,
 * and the notifications of the database.
 */
export class ClaimHolder {
  readonly claims = new HeldClaims();
  readonly pause: PauseWatch;
  readonly heartbeat: Heartbeat;
  readonly #listener: Listener;
  readonly #statistics: Poller;

  constructor(options: ClaimHolderOptions) {
    const { sql, role, log, begun, onCommands } = options;
    this.heartbeat = new Heartbeat({
      ...{ claims: this.claims, role, makesFirstAttempts: begun !== undefined, log },
      begun: begun ?? (() => 0),
      onClaimable: () => options.onClaimable(),
    });
    this.pause = new PauseWatch({ sql, log, onResumed: () => options.onResumed() });
    this.#statistics = watchQueueStatistics({ sql, log });
    this.#listener = new Listener({
      url: options.databaseUrl,
      user: this.heartbeat,
      log,
      handlers: {
        [channels.queue]: (consumerId) => options.onQueued(consumerId || null),
        [pauseChannel]: () => this.pause.wake(),
        ...(onCommands ? { [channels.commands]: onCommands } : {}),
      },
    });
  }

  /** @returns a promise that resolves with the first heartbeat; without the database, it waits for it. */
  start(): Promise<void> {
    this.#listener.start();
    this.heartbeat.start();
    this.pause.start();
    this.#statistics.start();
    return this.heartbeat.first;
  }

  /** Called when nothing claims or attempts any more. */
  async stop(): Promise<void> {
    await Promise.all([this.pause.stop(), this.#statistics.stop()]);
    // Before its session, on which it ends the claims.
    await this.heartbeat.stop();
    await this.#listener.stop();
  }
}
