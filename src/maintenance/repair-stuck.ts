import type { Sql } from '../database/sql.ts';
import type { StuckRun, StuckWorkflows } from '../engine/stuck-workflows.ts';
import { inEveryGeneration, startAgain } from '../events/transitions/ended-by-hand.ts';
import { unmadeRetriesOf, withdrawManualAttempt } from '../events/transitions/retried.ts';
import { startedOverdue } from '../events/transitions/swept.ts';
import type { Log } from '../shared/log.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';

/**
 * The overdue events whose workflow is looked at, oldest first. Those of a stuck workflow stay overdue, while the others
 * move on, so a stuck one comes to the front.
 */
const looksAtMost = 500;
/** Calls to Temporal at once. Each takes milliseconds, so 500 take a second or two. */
const callsAtOnce = 8;
/**
 * With more stuck workflows than this, none is restarted: a bad release or an overloaded worker is the cause then, and
 * new runs would fail in the same way.
 */
const repairedAtOnce = 10;
/** An event whose new runs are stuck too is restarted this often, so that it does not fill Temporal with runs. */
const restartsPerHour = 3;
const hourS = 3_600;

export interface RepairDeps {
  sql: Sql;
  /** Null while there is no connection to Temporal. */
  stuckWorkflows(): Pick<StuckWorkflows, 'find' | 'terminatedWithin' | 'end'> | null;
  metrics: Pick<Metrics, 'workflowsStuck'>;
  /** The seconds after its due time from which an event or a notification counts as overdue. */
  overdueS: number;
  log: Log;
}

/**
 * Ends the stuck workflows of overdue events, and queues the events, so that each gets another run from its row.
 * Retries that an operator has requested of the ended run are not made; the scheduled attempt, which is overdue, is.
 *
 * @returns how many were ended, and how many are stuck and were left.
 */
export async function repairStuck(deps: RepairDeps, signal: AbortSignal): Promise<{ ended: number; left: number }> {
  const { sql, overdueS, metrics, log } = deps;
  const workflows = deps.stuckWorkflows();
  if (!workflows) return { ended: 0, left: 0 };
  const stuck: StuckRun[] = [];
  const waiting = await startedOverdue(sql, { overdueS, limit: looksAtMost });
  const look = async () => {
    for (let id = waiting.shift(); id !== undefined && !signal.aborted; id = waiting.shift()) {
      const run = await workflows.find(id);
      if (run) stuck.push(run);
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, look));
  signal.throwIfAborted();

  let ended = 0;
  if (stuck.length <= repairedAtOnce)
    for (const run of stuck) {
      if ((await workflows.terminatedWithin(run.eventId, hourS)) >= restartsPerHour) continue;
      await workflows.end(run);
      for (const retry of (await unmadeRetriesOf(sql, [run.eventId])).values()) await withdrawManualAttempt(sql, retry);
      // At once: a worker that finds the ended run before would take it for one that a person has ended (ended-by-hand.ts).
      await startAgain(sql, [inEveryGeneration(run.eventId)]);
      ended++;
    }
  const left = stuck.length - ended;
  metrics.workflowsStuck('ended', ended);
  metrics.workflowsStuck('left', left);
  if (ended > 0) log.warn({ workflows: ended }, 'stuck workflows ended, their events get other ones');
  if (left > 0)
    log.error({ workflows: left, eventId: stuck[0]?.eventId }, 'stuck workflows left, too many or restarted too often');
  return { ended, left };
}
