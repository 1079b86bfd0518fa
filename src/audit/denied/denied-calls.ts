import { apartOnBadData } from '../../database/apart-on-bad-data.ts';
import { Batcher } from '../../database/batcher.ts';
import type { Database } from '../../database/database.ts';
import { FlushedCounts } from '../../database/flushed-counts.ts';
import type { Log } from '../../shared/log.ts';
import type { AuditWriter } from '../audit-writer.ts';
import { callerOf, type DeniedCall, minuteMs } from './denied-call.ts';
import { DeniedGate } from './denied-gate.ts';
import { addCounts, countsOf, type DeniedCounts, summaryOf } from './denied-summary.ts';
import { type WrittenDenied, writeDenied } from './write-denied.ts';

/**
 * Records refused admin calls as `auth.denied` entries of the audit log, up to the limits of `deniedLimits`. Those
 * beyond are counted by network and reason, and each process writes its counts once a minute as one summary entry. So
 * neither many addresses nor many calls can fill the disk. A crash loses the counts of the last minute.
 */
export class DeniedCalls {
  readonly #log: Log;
  readonly #gate = new DeniedGate();
  readonly #batcher: Batcher<DeniedCall, WrittenDenied>;
  readonly #counts: FlushedCounts<DeniedCounts>;

  /** @param options.summaryMs the interval of summaries; shorter in tests */
  constructor(options: { database: Database; audit: AuditWriter; log: Log; summaryMs?: number }) {
    const { database, audit, log, summaryMs = minuteMs } = options;
    this.#log = log;
    // Apart from the batches of valid calls, which must not wait behind a flood. The gate bounds what waits.
    this.#batcher = new Batcher(
      (all) =>
        apartOnBadData(all, {
          run: (calls) => writeDenied({ database, audit }, calls),
          refused: (failure) => ({ reachedUntilMs: null, failure }),
        }),
      { maxBatch: 256, maxRunning: 1 },
    );
    this.#counts = new FlushedCounts({
      ...{ name: 'refused admin calls', flushMs: summaryMs, add: addCounts, log },
      write: async (counts) => {
        for (const one of counts)
          await audit.append({
            ...{ actor: 'gateway', ipAddress: '127.0.0.1', action: 'auth.denied' },
            details: summaryOf(one),
          });
      },
    });
  }

  /** Writes the entry of a refused call, or counts the call beyond the limits. Resolves after the commit; never rejects. */
  async record(call: DeniedCall): Promise<void> {
    const caller = callerOf(call);
    if (!this.#gate.take(caller)) return this.count(call);
    try {
      const { reachedUntilMs, failure } = await this.#batcher.add(call);
      if (failure !== undefined) throw failure;
      if (reachedUntilMs === null) return;
      this.#gate.close(caller, reachedUntilMs);
    } catch (error) {
      this.#log.warn({ err: error }, 'audit entry of a refused admin call not written');
    }
    this.count(call);
  }

  /** Counts a refused call for the next summary, without an entry of its own. */
  count(call: Pick<DeniedCall, 'ipAddress' | 'reason'>): void {
    this.#counts.count('', countsOf(call));
  }

  start(): void {
    this.#counts.start();
  }

  /** Stops the summaries, after the last one. */
  stop(): Promise<void> {
    return this.#counts.stop();
  }
}
