import { Client, type ConnectionLike, WorkflowNotFoundError } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import type { DeliveryEnd } from '../../workflows/ended.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Database } from '../database/database.ts';
import { endCancelled, pendingOf, startAgain, type WithoutWorkflow } from '../events/transitions/ended-by-hand.ts';
import { isId } from '../http/admin/query-schemas.ts';
import type { Log } from '../shared/log.ts';
import type { Round } from '../shared/poller.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import { saysThatItIsAway } from '../temporal/lazy-connection.ts';
import { workflowId } from './workflow-engine.ts';

/** A healthy server answers in milliseconds. */
const callLimitMs = 3_000;
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

const highestGeneration = 2_147_483_647;
const everyGeneration = { lowest: 0, highest: highestGeneration };

/** Shown with the run in Temporal's Web UI. */
const resetReason = "a reset was repaired: another run continues from the event's row";

/** An end that a workflow has told, and when, by the clock of `performance`. */
interface Told {
  end: DeliveryEnd;
  atMs: number;
}

const isSuperseded = ({ end }: Told) => end.outcome === 'superseded';

interface ClosedRun {
  eventId: string;
  runId: string;
  isCancelled: boolean;
}

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
  #client: Client | null = null;

  constructor(deps: { database: Database; audit: AuditLog; metrics: Metrics; log: Log }) {
    this.#deps = deps;
  }

  setConnection(connection: ConnectionLike | null, namespace: string): void {
    this.#client = connection && new Client({ connection, namespace });
  }

  /** A workflow of this worker has ended as a signal said, which a person may have sent by hand. */
  told(end: DeliveryEnd): void {
    this.#told.push({ end, atMs: performance.now() });
  }

  /** @throws the database's error, and those of Temporal's client unless Temporal is away. */
  async round(): Promise<Round> {
    await this.#repairTold();
    try {
      return this.#client === null ? 'idle' : await this.#look(this.#client);
    } catch (error) {
      // The worker's health says so already.
      if (saysThatItIsAway(error)) return 'idle';
      throw error;
    }
  }

  async #look(client: Client): Promise<Round> {
    const beganMs = Date.now();
    const runs = await this.#closedRuns(client, Math.max(this.#fromMs, beganMs - backMs));
    for (const run of runs.filter(({ isCancelled }) => isCancelled)) await this.#declareDead(client, run);
    await this.#repairTerminated(
      client,
      runs.filter(({ isCancelled }) => !isCancelled),
    );
    for (const { runId } of runs) this.#seen.set(runId, true);
    if (runs.length === atOnce) return 'more';
    this.#fromMs = beganMs - lateMs;
    return 'idle';
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

  /** The latest runs that were cancelled or terminated since then and not looked at yet, at most `atOnce`. */
  async #closedRuns(client: Client, sinceMs: number): Promise<ClosedRun[]> {
    const since = new Date(sinceMs).toISOString();
    const query = `WorkflowType = 'deliverEvent' AND ExecutionStatus IN ('Canceled', 'Terminated') AND CloseTime > '${since}'`;
    const found: ClosedRun[] = [];
    await this.#call(client, async () => {
      for await (const { workflowId: id, runId, status } of client.workflow.list({ query, pageSize: atOnce })) {
        const eventId = id.slice(workflowId('').length);
        if (this.#seen.has(runId) || !isId(eventId)) continue;
        if (found.push({ eventId, runId, isCancelled: status.name === 'CANCELLED' }) === atOnce) break;
      }
    });
    return found;
  }

  async #declareDead(client: Client, { eventId, runId }: ClosedRun): Promise<void> {
    const { database, audit, metrics, log } = this.#deps;
    // A worker that has just started sees what others have handled. A replay may have begun since.
    if ((await this.#latest(client, eventId))?.runId !== runId) return;
    const generation = await database.transaction(async (sql) => {
      const ended = await endCancelled(sql, eventId);
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

  async #repairTerminated(client: Client, runs: readonly ClosedRun[]): Promise<void> {
    if (runs.length === 0) return;
    const pending = await pendingOf(
      this.#deps.database,
      runs.map(({ eventId }) => eventId),
    );
    const open = runs.filter(({ eventId }) => pending.has(eventId));
    const kinds = { reset: [] as WithoutWorkflow[], terminated: [] as WithoutWorkflow[] };
    for (let from = 0; from < open.length; from += callsAtOnce)
      await Promise.all(
        open.slice(from, from + callsAtOnce).map(async (run) => {
          const kind = await this.#endedAs(client, run);
          if (kind !== null) kinds[kind].push({ eventId: run.eventId, ...everyGeneration });
        }),
      );
    await this.#startAgain(kinds.reset, 'reset');
    await this.#startAgain(kinds.terminated, 'terminated');
  }

  /**
   * How this run was ended; null if another one follows already. The run that a reset has made begins at an earlier point
   * than the row, so it is ended.
   */
  async #endedAs(client: Client, { eventId, runId }: ClosedRun): Promise<'reset' | 'terminated' | null> {
    const id = workflowId(eventId);
    try {
      const { raw } = await this.#call(client, () => client.workflow.getHandle(id, runId).describe());
      const resetRunId = raw.workflowExtendedInfo?.resetRunId;
      if (resetRunId) {
        await this.#call(client, () => client.workflow.getHandle(id, resetRunId).terminate(resetReason));
        return 'reset';
      }
      return (await this.#latest(client, eventId))?.status.name === 'RUNNING' ? null : 'terminated';
    } catch (error) {
      // Deleted, or the run of the reset has ended by itself.
      if (error instanceof WorkflowNotFoundError) return 'terminated';
      throw error;
    }
  }

  /** The latest run of the event's workflow; null if Temporal has none. */
  async #latest(client: Client, eventId: string) {
    try {
      return await this.#call(client, () => client.workflow.getHandle(workflowId(eventId)).describe());
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  }

  async #startAgain(without: readonly WithoutWorkflow[], by: 'terminated' | 'reset' | 'signal'): Promise<void> {
    const { database, metrics, log } = this.#deps;
    for (const eventId of await startAgain(database, without)) {
      metrics.workflowEndedByHand(by);
      log.warn({ eventId, by }, 'workflow ended by hand, another one continues the delivery');
    }
  }

  #call<T>(client: Client, call: () => Promise<T>): Promise<T> {
    return client.connection.withDeadline(Date.now() + callLimitMs, call);
  }
}
