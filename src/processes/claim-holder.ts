import type { Sql } from '../database/sql.ts';
import { channels } from '../events/event.ts';
import { pauseChannel } from '../events/pause.ts';
import type { Log } from '../shared/log.ts';
import { Leases } from './leases.ts';
import { Listener } from './listener.ts';
import { PauseWatch } from './pause-watch.ts';
import { Takeover } from './takeover.ts';

export interface ClaimHolderOptions {
  sql: Sql;
  databaseUrl: string;
  /** The time limit of an attempt, which determines the length of a lease. */
  timeLimitMs: number;
  log: Log;
  /** Called when events can be claimed that another process had claimed before. */
  onClaimable(): void;
  /** Called after a pause of deliveries. */
  onResumed(): void;
  /** Whether this process makes first attempts. Workers leave events to their workflows when no process does. */
  makesFirstAttempts: boolean;
  /** Called when an event waits in the queue for its first attempt: of this account, or, with null, of any. */
  onQueued?(accountId: string | null): void;
  /** Called when commands wait for the workflows of events. */
  onCommands?(): void;
}

/**
 * What every process needs that claims events: leases, the session by which other processes see that it is alive, and
 * the notifications of the database.
 */
export class ClaimHolder {
  readonly leases: Leases;
  readonly pause: PauseWatch;
  readonly #takeover: Takeover;
  readonly #listener: Listener;

  constructor(options: ClaimHolderOptions) {
    const { sql, log, makesFirstAttempts, onQueued, onCommands } = options;
    this.leases = new Leases({ sql, log, timeLimitMs: options.timeLimitMs });
    this.#takeover = new Takeover({
      ...{ leases: this.leases, makesFirstAttempts, log },
      onClaimable: () => options.onClaimable(),
    });
    this.pause = new PauseWatch({ sql, log, onResumed: () => options.onResumed() });
    this.#listener = new Listener({
      url: options.databaseUrl,
      user: this.#takeover,
      log,
      handlers: {
        [pauseChannel]: () => this.pause.wake(),
        ...(onQueued ? { [channels.queue]: (accountId: string) => onQueued(accountId || null) } : {}),
        ...(onCommands ? { [channels.commands]: onCommands } : {}),
      },
    });
  }

  /** Whether other processes can see that this one is alive. Otherwise, nothing may be claimed or attempted. */
  get holdsLock(): boolean {
    return this.#takeover.holdsLock;
  }

  start(): void {
    this.leases.start();
    this.#listener.start();
    this.#takeover.start();
    this.pause.start();
  }

  /** Called when nothing claims or attempts any more. */
  async stop(): Promise<void> {
    await this.pause.stop();
    this.leases.stop();
    // Last, because other processes take over the claims of a process without its session.
    await this.#takeover.stop();
    await this.#listener.stop();
  }
}
