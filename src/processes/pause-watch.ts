import type { Sql } from '../database/sql.ts';
import { type Pause, readPause } from '../events/pause.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';

/** A notification announces each change immediately. Polling covers lost notifications. */
const idleMs = 1_000;

/**
 * Tracks whether deliveries are paused, and logs each change. The answer may be about a second old, so it only saves
 * useless claims. Whether an attempt may be sent is checked in the statement that claims or reads its event.
 */
export class PauseWatch {
  readonly #poller: Poller;
  #pause: Pause | null = null;

  constructor(deps: { sql: Sql; log: Log; onResumed(): void }) {
    const { sql, log } = deps;
    this.#poller = new Poller({
      name: 'pause of deliveries',
      idleMs,
      log,
      work: async () => {
        const before = this.#pause;
        const now = await readPause(sql);
        this.#pause = now;
        if (now && now.since.getTime() !== before?.since.getTime())
          log.warn({ since: now.since, reason: now.reason }, 'deliveries are paused');
        if (before && !now) {
          log.warn({ pausedSince: before.since }, 'deliveries are resumed');
          deps.onResumed();
        }
        return 'idle';
      },
    });
  }

  get paused(): boolean {
    return this.#pause !== null;
  }

  start(): void {
    this.#poller.start();
  }

  wake(): void {
    this.#poller.wake();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }
}
