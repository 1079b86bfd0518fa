import type { Sql } from '../database/sql.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';
import { addIncidentCounts } from './counting/write-counts.ts';

const watchMs = 20_000;
/** A restart of the database is no incident. */
const awayMs = 10_000;

/** Something that is wrong with the gateway itself. */
export interface GatewayCondition {
  /** As part of a sentence, without numbers that change. */
  cause: string;
  /** For how long it holds before it is an incident, in ms. */
  afterMs: number;
}

/**
 * Finds what is wrong with the gateway at the moment.
 *
 * @throws the database's error while it is away.
 */
export type ReadConditions = () => Promise<GatewayCondition[]>;

/** Looks after the gateway itself from one of its processes, and reports what is wrong as long as it is. */
export class GatewayWatch {
  readonly #options: { sql: Sql; conditions: ReadConditions; log: Log; onOpening: () => void };
  readonly #poller: Poller;
  readonly #sinceMs = new Map<string, number>();
  #awaySinceMs: number | null = null;

  constructor(options: {
    sql: Sql;
    conditions: ReadConditions;
    log: Log;
    /** Called when something was reported. */
    onOpening: () => void;
    /** Shorter in tests. */
    watchMs?: number | undefined;
  }) {
    this.#options = options;
    this.#poller = new Poller({
      ...{ name: 'state of the gateway', idleMs: options.watchMs ?? watchMs, log: options.log },
      work: async () => {
        await this.#look();
        return 'idle';
      },
    });
  }

  start(): void {
    this.#poller.start();
  }

  async stop(): Promise<void> {
    await this.#poller.stop();
  }

  async #look(): Promise<void> {
    const { sql, conditions, onOpening } = this.#options;
    const found = await conditions().catch((error: unknown) => {
      // It is an incident as soon as one can be stored. The poller looks again soon: one look that failed is none.
      this.#awaySinceMs ??= Date.now();
      throw error;
    });
    const nowMs = Date.now();
    const causes = new Set(found.map(({ cause }) => cause));
    for (const cause of this.#sinceMs.keys()) if (!causes.has(cause)) this.#sinceMs.delete(cause);
    for (const { cause } of found) if (!this.#sinceMs.has(cause)) this.#sinceMs.set(cause, nowMs);
    const reports = found
      .map(({ cause, afterMs }) => ({ cause, afterMs, sinceMs: this.#sinceMs.get(cause) ?? nowMs }))
      .filter(({ afterMs, sinceMs }) => nowMs - sinceMs >= afterMs);
    const awayMsNow = this.#awaySinceMs === null ? 0 : nowMs - this.#awaySinceMs;
    if (this.#awaySinceMs !== null && awayMsNow >= awayMs)
      reports.push({ cause: 'the database did not answer', afterMs: 0, sinceMs: this.#awaySinceMs });
    if (reports.length > 0) {
      await addIncidentCounts(
        sql,
        reports.map(({ cause, sinceMs }) => ({
          ...{
            kind: 'gateway' as const,
            accountId: null,
            consumerId: null,
            cause,
            opens: true,
            failed: 0,
            succeeded: 0,
          },
          ...{ firstMs: sinceMs, lastMs: nowMs, example: null, oldest: null },
        })),
      );
      onOpening();
    }
    this.#awaySinceMs = null;
  }
}
