import type { Sql } from '../database/sql.ts';
import { aftermathMs, type Pause, readPause } from '../events/pause.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';

/** A notification says so at once; this is for one that got lost. */
const idleMs = 1_000;

/**
 * Knows whether deliveries are paused, and says so in the log when that changes. It is about a second behind at worst,
 * so it only saves looks for work: what nothing may be sent without is read with the work itself.
 */
export class PauseWatch {
  readonly #poller: Poller;
  #pause: Pause | null = null;
  #endedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: { sql: Sql; log: Log; onResumed(): void }) {
    const { sql, log } = deps;
    this.#poller = new Poller({
      name: 'pause of deliveries',
      idleMs,
      log,
      work: async () => {
        const [before, now] = [this.#pause, await readPause(sql)];
        this.#pause = now;
        if (now && now.since.getTime() !== before?.since.getTime())
          log.warn({ since: now.since, reason: now.reason }, 'deliveries are paused');
        if (before && !now) {
          this.#endedAtMs = Date.now();
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

  /** Whether what is late may be so because of a pause: there is one, or there was one a moment ago. */
  get makesLate(): boolean {
    return this.paused || Date.now() < this.#endedAtMs + aftermathMs;
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
