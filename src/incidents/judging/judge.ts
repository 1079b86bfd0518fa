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
  const work = async () => {
    // Nothing fails most of the time: then this is one statement that reads two empty indexes.
    const { counts, resolved } = await workOnIncidents(database);
    if (counts)
      await database.transaction(async (sql) => {
        if (!(await tryLock(sql, lockKeys.incidents))) return;
        await sql.query(withoutJit, []);
        const changed = await judgeIncidents(sql, times);
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
