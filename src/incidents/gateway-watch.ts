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
export function createGatewayWatch(options: {
  sql: Sql;
  conditions: ReadConditions;
  log: Log;
  /** Called when something was reported. */
  onOpening: () => void;
  /** Shorter in tests. */
  watchMs?: number | undefined;
}): Poller {
  const { sql, conditions, log, onOpening } = options;
  const since = new Map<string, number>();
  let awaySinceMs: number | null = null;

  const work = async () => {
    const found = await conditions().catch((error: unknown) => {
      // It is an incident as soon as one can be stored. The poller looks again soon: one look that failed is none.
      awaySinceMs ??= Date.now();
      throw error;
    });
    const nowMs = Date.now();
    const causes = new Set(found.map(({ cause }) => cause));
    for (const cause of since.keys()) if (!causes.has(cause)) since.delete(cause);
    for (const { cause } of found) if (!since.has(cause)) since.set(cause, nowMs);
    const reports = found
      .map(({ cause, afterMs }) => ({ cause, afterMs, sinceMs: since.get(cause) ?? nowMs }))
      .filter(({ afterMs, sinceMs }) => nowMs - sinceMs >= afterMs);
    if (awaySinceMs !== null && nowMs - awaySinceMs >= awayMs)
      reports.push({ cause: 'the database did not answer', afterMs: 0, sinceMs: awaySinceMs });
    if (reports.length > 0) {
      await addIncidentCounts(
        sql,
        reports.map(({ cause, sinceMs }) => ({
          ...{ kind: 'gateway' as const, accountId: null, consumerId: null, cause },
          ...{ opens: true, failed: 0, succeeded: 0 },
          ...{ firstMs: sinceMs, lastMs: nowMs, example: null, oldest: null },
        })),
      );
      onOpening();
    }
    awaySinceMs = null;
    return 'idle' as const;
  };
  return new Poller({ name: 'state of the gateway', idleMs: options.watchMs ?? watchMs, log, work });
}
