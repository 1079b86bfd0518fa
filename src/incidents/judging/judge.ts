import { lockKeys } from '../../database/lock-keys.ts';
import type { Transactions } from '../../database/sql.ts';
import { tryLock } from '../../database/try-lock.ts';
import type { Log } from '../../shared/log.ts';
import { Poller } from '../../shared/poller.ts';
import type { TellIncidents } from '../incident.ts';
import { changesOf } from '../told-changes.ts';
import { finishIncidents, workOnIncidents } from './finish.ts';
import { judgeIncidents } from './judge-counts.ts';
import { type IncidentPace, incidentTimes } from './times.ts';

const judgeMs = 10_000;

// Without JIT: to compile the statement that follows would take longer than to run it.
const withoutJit = { name: 'judge_without_jit', text: `set local jit = off` };

/**
 * Opens and resolves incidents every ten seconds. It runs in every process, and works in one of them at a time. A wake-up
 * makes it judge at once: what was written opens an incident.
 */
export function createIncidentJudge(options: {
  database: Transactions;
  tell: TellIncidents;
  log: Log;
  pace?: IncidentPace | undefined;
}): Poller {
  const { database, tell, log, pace = {} } = options;
  const times = { ...incidentTimes, ...pace.times };
  const quietMs = times.quietS * 1_000;
  let roundMs = Number.NEGATIVE_INFINITY;
  let steadySinceMs = 0;
  /**
   * Whether rounds have followed each other for the quiet time, without a gap. To be called in each round. After a start,
   * or while PostgreSQL was away, reports about the gateway are missing, although its conditions may hold. A gap is half
   * of the quiet time: 30 s are longer than the interval of rounds (10 s), and with the interval of reports (20 s) shorter
   * than the quiet time (60 s).
   */
  const isSteady = () => {
    const nowMs = performance.now();
    if (nowMs - roundMs > quietMs / 2) steadySinceMs = nowMs;
    roundMs = nowMs;
    return nowMs - steadySinceMs >= quietMs;
  };
  const work = async () => {
    // Nothing fails most of the time: then this is one statement that reads two empty indexes.
    const { counts, resolved } = await workOnIncidents(database);
    if (counts)
      await database.transaction(async (sql) => {
        const isLocked = await tryLock(sql, lockKeys.incidents);
        // In this transaction, because its `now()` is fixed: an outage that follows adds nothing to the age of reports.
        const mayEndGateway = isSteady();
        if (!isLocked) return;
        await sql.query(withoutJit, []);
        const changed = await judgeIncidents(sql, times, mayEndGateway);
        if (changed.length === 0) return;
        const changes = await changesOf(sql, changed);
        if (changes.length > 0) await tell(sql, changes);
        for (const { id, change } of changed) log.info({ incidentId: id, change }, 'incident changed');
      });
    if (resolved) await finishIncidents(database);
    return 'idle' as const;
  };
  return new Poller({ name: 'incidents', idleMs: pace.judgeMs ?? judgeMs, log, work });
}
