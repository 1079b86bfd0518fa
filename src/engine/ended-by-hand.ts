import type { ConnectionLike } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import type { DeliveryEnd } from '../../workflows/ended.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { databaseNowMs } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import {
  endCancelled,
  inEveryGeneration,
  startAgain,
  unfinishedOf,
  type WithoutWorkflow,
} from '../events/transitions/ended-by-hand.ts';
import { unmadeRetriesOf, withdrawManualAttempt } from '../events/transitions/retried.ts';
import type { Log } from '../shared/log.ts';
import type { Round } from '../shared/poller.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import { gaveNoAnswer } from '../temporal/lazy-connection.ts';
import { type EndedRun, EndedRuns } from './ended-runs.ts';

/** How much later than its end a closed run may be in Temporal's list. */
const lateMs = 60_000;
/** How far back is looked at first: longer than the restart of a worker, or an outage of the database that delays a repair. */
const backMs = 600_000;
/** Runs that are handled in one round. */
const atOnce = 200;
/** Calls to Temporal at a time. */
const callsAtOnce = 8;
/** A workflow that has told its end is closed a moment later. Before, another one could not be started. */
const closedMs = 1_000;
/** Runs that need not be looked at again. A person who ends more than these within ten minutes waits for the sweep. */
const known = 50_000;

/** An end that a workflow has told, and when, by the clock of `performance`. */
interface Told {
  end: DeliveryEnd;
  atMs: number;
}

const isSuperseded = ({ end }: Told) => end.outcome === 'superseded';

/**
 * Brings the rows of events and their workflows together again after a person has ended workflows in Temporal, by the Web
 * UI or the command line (docs/temporal-web-ui.md). Every worker that takes deliveries looks; a repair applies once.
 */
export class EndedByHand {
  readonly #deps: { database: Database; audit: AuditLog; metrics: Metrics; log: Log };
  readonly #seen = new LRUCache<string, true>({ max: known });
  #told: Told[] = [];
  /** Runs that were closed before need not be listed again, in milliseconds since 1970. */
  #fromMs = 0;
  #runs: EndedRuns | null = null;

  constructor(deps: { database: Database; audit: AuditLog; metrics: Metrics; log: Log }) {
    this.#deps = deps;
  }

  setConnection(connection: ConnectionLike | null, namespace: string): void {
    this.#runs = connection && new EndedRuns(connection, namespace);
  }

  /** A workflow of this worker has ended as a signal said, which a person may have sent by hand. */
  told(end: DeliveryEnd): void {
    this.#told.push({ end, atMs: performance.now() });
  }

  /** @throws the database's error, and those of Temporal's client unless it gave no answer. */
  async round(): Promise<Round> {
    await this.#repairTold();
    try {
      return this.#runs === null ? 'idle' : await this.#look(this.#runs);
    } catch (error) {
      // The worker's health says so already. Of a call that Temporal refuses, only the log tells.
      if (gaveNoAnswer(error)) return 'idle';
      throw error;
    }
  }

  async #look(temporal: EndedRuns): Promise<Round> {
    // By a clock that is wrong or jumps, runs would be missed.
    const nowMs = await databaseNowMs(this.#deps.database);
    const runs = await temporal.list({
      sinceMs: Math.max(this.#fromMs, nowMs - backMs),
      limit: atOnce,
      isKnown: (runId) => this.#seen.has(runId),
    });
    for (const run of runs.filter(({ isCancelled }) => isCancelled)) await this.#declareDead(temporal, run);
    const later = await this.#continue(temporal, runs);
    for (const { runId } of runs) if (!later.has(runId)) this.#seen.set(runId, true);
    if (runs.length < atOnce) this.#fromMs = nowMs - lateMs;
    return runs.length === atOnce && later.size === 0 ? 'more' : 'idle';
  }

  /** A row that a signal's sender has not changed is still pending. */
  async #repairTold(): Promise<void> {
    const closedBefore = performance.now() - closedMs;
    const closed = this.#told.filter(({ atMs }) => atMs <= closedBefore);
    const ofGeneration = ({ end: { eventId, generation } }: Told) => ({
      eventId,
      lowest: generation,
      highest: generation,
    });
    const [superseded, others] = [closed.filter(isSuperseded), closed.filter((told) => !isSuperseded(told))];
    // After `superseded`, a newer generation has a run of its own. A row of an earlier one says that nobody has asked for
    // the replay but the signal.
    const ofEarlier = superseded.map(({ end: { eventId, generation } }) => ({
      eventId,
      lowest: 0,
      highest: generation - 1,
    }));
    await this.#startAgain([...ofEarlier, ...others.map(ofGeneration)], 'signal');
    // Another run was started too early, while this one, whose event waits in the queue, had not ended yet.
    await startAgain(this.#deps.database, superseded.map(ofGeneration));
    this.#told = this.#told.filter(({ atMs }) => atMs > closedBefore);
  }

  async #declareDead(temporal: EndedRuns, run: EndedRun): Promise<void> {
    const { database, audit, metrics, log } = this.#deps;
    const { eventId, runId } = run;
    // A worker that has just started sees what others have handled. A replay may have begun since.
    const isLatest = (await temporal.latest(eventId)) === runId;
    const startedWith = await temporal.generationOf(run);
    const generation = await database.transaction(async (sql) => {
      const ended = await endCancelled(sql, { eventId, generation: startedWith, isLatest });
      if (ended === null) return null;
      await audit.write(sql, {
        ...{ actor: 'temporal', ipAddress: '127.0.0.1', action: 'event.fail' },
        details: { event_id: eventId, dead: true, generation: ended, cancelled_in_temporal: true },
      });
      return ended;
    });
    if (generation === null) return;
    metrics.workflowEndedByHand('cancelled');
    log.warn({ eventId, generation }, 'workflow cancelled in Temporal, its event is dead');
  }

  /**
   * Starts what these runs have left to do, also cancelled ones: an exhausted event whose notifications are not all sent is
   * not dead. A retry that was not made is withdrawn, also one of a delivery that has ended. Returns the runs to look at again.
   */
  async #continue(temporal: EndedRuns, runs: readonly EndedRun[]): Promise<Set<string>> {
    const later = new Set<string>();
    if (runs.length === 0) return later;
    const eventIds = runs.map(({ eventId }) => eventId);
    const { database } = this.#deps;
    // Before Temporal is asked: a retry that is requested later has another number, and a run of its own.
    const retries = await unmadeRetriesOf(database, eventIds);
    const unfinished = await unfinishedOf(database, eventIds);
    const open = runs.filter(({ eventId }) => unfinished.has(eventId) || retries.has(eventId));
    const kinds = { reset: [] as WithoutWorkflow[], terminated: [] as WithoutWorkflow[] };
    for (let from = 0; from < open.length; from += callsAtOnce)
      await Promise.all(
        open.slice(from, from + callsAtOnce).map(async (run) => {
          const { eventId, runId } = run;
          // Of an event whose delivery has ended, only a retry is left.
          const endedWithRetry = !unfinished.has(eventId) && (await temporal.isLast(run)) ? 'terminated' : null;
          const kind = unfinished.has(eventId) ? await temporal.repaired(run) : endedWithRetry;
          if (kind === 'later') return void later.add(runId);
          if (kind === null) return;
          const retry = retries.get(eventId);
          if (retry) await withdrawManualAttempt(database, retry);
          kinds[kind].push(inEveryGeneration(eventId));
        }),
      );
    await this.#startAgain(kinds.reset, 'reset');
    await this.#startAgain(kinds.terminated, 'terminated');
    return later;
  }

  async #startAgain(without: readonly WithoutWorkflow[], by: 'terminated' | 'reset' | 'signal'): Promise<void> {
    const { database, metrics, log } = this.#deps;
    for (const { eventId, isPending } of await startAgain(database, without)) {
      if (isPending) {
        metrics.workflowEndedByHand(by);
        log.warn({ eventId, by }, 'workflow ended by hand, another one continues the delivery');
      } else log.warn({ eventId }, 'workflow ended by hand, another one sends the notifications');
    }
  }
}
