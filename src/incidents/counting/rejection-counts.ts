import { FlushedCounts } from '../../database/flushed-counts.ts';
import type { Sql } from '../../database/sql.ts';
import type { Log } from '../../shared/log.ts';
import { defaultFlushMs } from './failure-counts.ts';
import { addIncidentCounts, type Count } from './write-counts.ts';

/** Counts the rejected webhooks of each account by their reason, and writes the counts every few seconds. */
export class RejectionCounts {
  readonly #counts: FlushedCounts<Count>;

  constructor({ sql, log, flushMs = defaultFlushMs }: { sql: Sql; log: Log; flushMs?: number | undefined }) {
    this.#counts = new FlushedCounts({
      ...{ name: 'rejected webhooks by account', flushMs, log },
      add(to, more) {
        to.failed += more.failed;
        // Counts that were not written are added to newer ones.
        to.firstMs = Math.min(to.firstMs, more.firstMs);
        to.lastMs = Math.max(to.lastMs, more.lastMs);
      },
      write: async (counts) => {
        await addIncidentCounts(sql, counts);
      },
    });
  }

  /** Counts a rejected webhook. */
  rejected(accountId: string, reason: string): void {
    const nowMs = Date.now();
    this.#counts.count(`${accountId}/${reason}`, {
      ...{ kind: 'rejections', accountId, consumerId: null, cause: reason, opens: false, failed: 1, succeeded: 0 },
      ...{ firstMs: nowMs, lastMs: nowMs, example: null, oldest: null },
    });
  }

  start(): void {
    this.#counts.start();
  }

  /** Stops writing, after the counts that are left. */
  stop(): Promise<void> {
    return this.#counts.stop();
  }
}
