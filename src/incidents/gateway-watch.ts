import { databaseNowMs } from '../database/clock.ts';
import type { Sql } from '../database/sql.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';
import { addIncidentCounts } from './counting/write-counts.ts';
import type { GatewayCause } from './gateway-cause.ts';

const watchMs = 20_000;
/** A restart of the database is no incident. */
const awayMs = 10_000;

/** Something that is wrong with the gateway itself. */
export interface GatewayCondition {
  cause: GatewayCause;
  /** For how long it holds before it opens an incident, in ms. An open incident stays open while it holds at all. */
  afterMs: number;
}

/**
 * Finds what is wrong with the gateway at the moment.
 *
 * @throws the database's error while it is away or takes no writes.
 */
export type ReadConditions = () => Promise<GatewayCondition[]>;

/** Looks after the gateway itself from one of its processes, and reports what is wrong as long as it is. */
export function createGatewayWatch(options: {
  sql: Sql;
  conditions: ReadConditions;
  log: Log;
  /** Called when something was reported that opens an incident. */
  onOpening: () => void;
  /** Shorter in tests. */
  watchMs?: number | undefined;
}): Poller {
  const { sql, conditions, log, onOpening } = options;
  const since = new Map<GatewayCause, number>();
  let awaySinceMs: number | null = null;

  const look = async () => {
    const found = await conditions();
    const nowMs = performance.now();
    const outageSinceMs = awaySinceMs !== null && nowMs - awaySinceMs >= awayMs ? awaySinceMs : null;
    // A condition that was seen during the outage may be due to it: no worker can write a heartbeat.
    if (outageSinceMs !== null) since.clear();
    const causes = new Set(found.map(({ cause }) => cause));
    for (const cause of since.keys()) if (!causes.has(cause)) since.delete(cause);
    for (const { cause } of found) if (!since.has(cause)) since.set(cause, nowMs);
    // After a restart, a condition is young again, but must keep its incident open: so each is reported.
    const reports = found.map(({ cause, afterMs }) => {
      const ageMs = nowMs - (since.get(cause) ?? nowMs);
      return { cause, ageMs, opens: ageMs >= afterMs };
    });
    if (outageSinceMs !== null)
      reports.push({ cause: 'the database did not answer', ageMs: nowMs - outageSinceMs, opens: true });
    if (reports.length > 0) {
      // Incidents are judged by PostgreSQL's clock. That of this process may be wrong.
      const lastMs = await databaseNowMs(sql);
      await addIncidentCounts(
        sql,
        reports.map(({ cause, ageMs, opens }) => ({
          ...{ kind: 'gateway' as const, accountId: null, consumerId: null, cause },
          ...{ opens, failed: 0, succeeded: 0 },
          ...{ firstMs: lastMs - ageMs, lastMs, example: null, oldest: null },
        })),
      );
      if (reports.some(({ opens }) => opens)) onOpening();
    }
    awaySinceMs = null;
    return 'idle' as const;
  };
  const work = () =>
    look().catch((error: unknown) => {
      // It is an incident as soon as one can be stored. The poller looks again soon: one look that failed is none.
      awaySinceMs ??= performance.now();
      throw error;
    });
  return new Poller({ name: 'state of the gateway', idleMs: options.watchMs ?? watchMs, log, work });
}
