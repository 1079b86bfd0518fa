import type { Database } from '../../database/database.ts';
import { lockKeys } from '../../database/lock-keys.ts';
import { dayMs, uuidFloor } from '../../database/uuid-time.ts';
import type { AuditWriter } from '../audit-writer.ts';
import { callerOf, type DeniedCall, deniedLimits, minuteMs } from './denied-call.ts';
import { startOf } from './denied-gate.ts';

const lockDenied = { name: 'lock_denied_calls', text: 'select pg_advisory_xact_lock($1)' };
// Reads the index of actions. The limit bounds the scan: no decision needs a larger count.
const countDenied = {
  name: 'count_denied_calls',
  text: `
    select count(*) filter (where id >= $1::uuid)::integer as minute, count(*)::integer as day
    from (select id from audit_logs where action = 'auth.denied' and id >= $2::uuid order by id desc limit $3) as newest`,
};

/** What became of a refused call. */
export interface WrittenDenied {
  /** When the limit that is reached is reset, in milliseconds since 1970; null: there is an entry, or `failure` says why not. */
  reachedUntilMs: number | null;
  /** Why PostgreSQL refuses the entry. */
  failure?: unknown;
}

/**
 * Writes the entries of refused calls, in their order, as long as the limits allow. A lock lets one process at a time
 * count and write, so that all of them together keep the limits.
 *
 * @throws the database's error; then no entry is written.
 */
export function writeDenied(
  { database, audit }: { database: Database; audit: Pick<AuditWriter, 'write'> },
  calls: readonly DeniedCall[],
): Promise<WrittenDenied[]> {
  return database.transaction(async (sql) => {
    await sql.query(lockDenied, [lockKeys.deniedCalls]);
    const nowMs = Date.now();
    const [minuteStart, dayStart] = [startOf(minuteMs, nowMs), startOf(dayMs, nowMs)];
    const [found] = await sql.query<{ minute: number; day: number }>(countDenied, [
      uuidFloor(new Date(minuteStart)),
      uuidFloor(new Date(dayStart)),
      deniedLimits.token_holder.perDay,
    ]);
    const { minute = 0, day = 0 } = found ?? {};
    const entries: DeniedCall[] = [];
    const results = calls.map((call): WrittenDenied => {
      const { perMinute, perDay } = deniedLimits[callerOf(call)];
      if (day + entries.length >= perDay) return { reachedUntilMs: dayStart + dayMs };
      if (minute + entries.length >= perMinute) return { reachedUntilMs: minuteStart + minuteMs };
      entries.push(call);
      return { reachedUntilMs: null };
    });
    await audit.write(sql, ...entries.map(({ reason, ...entry }) => ({ ...entry, action: 'auth.denied' as const })));
    return results;
  });
}
