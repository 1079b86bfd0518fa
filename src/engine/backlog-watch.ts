import type { Sql } from '../database/sql.ts';
import { type WorkflowBacklog, workflowBacklog } from '../events/workflow-backlog.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';

/** From when on operators are told that workflow starts fall behind: the value of EVENT_WORKFLOWS_BACKLOG. */
export interface BacklogLimit {
  /** More waiting starts than this. */
  events: number;
  /** A start that waits for longer than this, in milliseconds. */
  ageMs: number;
}

/** Operators react within minutes, and a look at a long queue costs some 20 ms. */
const lookMs = 5_000;
/** How often the warning is repeated while the backlog lasts. */
const repeatMs = 10 * 60_000;
/** The backlog is over at this share of both limits, so that one close to a limit is not reported again and again. */
const overShare = 0.5;

/**
 * Creates a poller that logs when more workflows wait to be started than the limit, or for longer, and when that is
 * over. Nothing else changes then: ingestion and first attempts continue, and the workflows start later.
 */
export function watchBacklog(deps: {
  sql: Sql;
  log: Log;
  limit: BacklogLimit;
  /** Shorter in tests. */
  lookMs?: number;
  repeatMs?: number;
}): Poller {
  const { sql, log, limit } = deps;
  /** When the last warning was logged, by the monotonic clock; null while there is no backlog. */
  let warnedAtMs: number | null = null;
  const beyond = ({ waiting, since }: WorkflowBacklog, share: number) =>
    waiting > limit.events * share || (since !== null && Date.now() - since.getTime() > limit.ageMs * share);
  return new Poller({
    name: 'backlog of workflow starts',
    idleMs: deps.lookMs ?? lookMs,
    log,
    work: async () => {
      const backlog = await workflowBacklog(sql);
      const nowMs = performance.now();
      if (warnedAtMs === null ? beyond(backlog, 1) : beyond(backlog, overShare)) {
        if (warnedAtMs === null || nowMs - warnedAtMs >= (deps.repeatMs ?? repeatMs)) {
          warnedAtMs = nowMs;
          const fields = { ...backlog, limit: limit.events, limitMs: limit.ageMs };
          log.warn(fields, 'workflow starts fall behind, deliveries continue');
        }
      } else if (warnedAtMs !== null) {
        warnedAtMs = null;
        log.info(backlog, 'workflow starts have caught up');
      }
      return 'idle';
    },
  });
}
