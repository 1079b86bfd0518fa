import type { Transactions } from '../database/sql.ts';
import type { EventWorkflows } from '../events/event-workflows.ts';
import { exhaustDisabledEvents, type WhenExhausted } from '../events/transitions/exhausted.ts';
import { letDueWait } from '../events/transitions/queued-to-wait.ts';
import { type SweepPosition, sweep } from '../events/transitions/swept.ts';
import { ClaimHolder } from '../processes/claim-holder.ts';
import { ClaimReturns } from '../processes/claim-returns.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';
import type { Running } from '../shared/running.ts';
import { type BacklogLimit, watchBacklog } from './backlog-watch.ts';
import { Commands } from './commands.ts';
import { EngineLink } from './engine-link.ts';
import { LeavingToWorkflows } from './leave-to-workflows.ts';
import { QueueWrites } from './queue-writes.ts';
import { Starts } from './starts.ts';
import type { WorkflowEngine } from './workflow-engine.ts';

export interface DispatcherOptions {
  database: Transactions;
  databaseUrl: string;
  eventWorkflows: EventWorkflows;
  /** From which backlog of workflow starts on operators are told. */
  backlogLimit: BacklogLimit;
  /** The number of the schedule's last attempt. */
  lastAttempt: number;
  /** Runs in the transaction that exhausts events; adds their notifications. */
  whenExhausted: WhenExhausted;
  /** Called when an event was exhausted because its account is disabled. */
  onExhausted(): void;
  log: Log;
  /** Seconds after which a pending event that is past its time counts as overdue. */
  overdueS: number;
  /** How long first attempts wait for an `api` that makes them; 5 s by default, shorter in tests. */
  patienceMs?: number | undefined;
}

const sweepMs = 30_000;
const sweepLimit = 500;

/**
 * The part of a worker that hands events over to Temporal: starts their workflows, passes operators' commands on, and
 * queues overdue events again. First attempts are made by `api` processes (src/attempts/relay.ts).
 */
export class WorkflowDispatcher {
  readonly #engine = new EngineLink();
  readonly #holder: ClaimHolder;
  readonly #starts: Starts;
  readonly #commands: Commands;
  readonly #parts: (Running & { start(): void })[];

  constructor(options: DispatcherOptions) {
    const { database: sql, whenExhausted, lastAttempt, log } = options;
    const engine = this.#engine;
    const writes = new QueueWrites(sql);
    const holder = new ClaimHolder({
      ...{ sql, databaseUrl: options.databaseUrl, role: 'worker', log },
      onClaimable: () => {
        this.#starts.wake();
        this.#commands.wake();
      },
      onResumed: () => this.#starts.wake(),
      onQueued: () => leaving.queued(),
      onCommands: () => {
        this.#commands.wake();
        this.#starts.wake();
      },
    });
    this.#holder = holder;
    const { claims, heartbeat } = holder;
    const isAlive = () => heartbeat.isAlive;
    this.#starts = new Starts({
      ...{ sql, engine, claims, writes, log, isAlive },
      returns: new ClaimReturns(sql),
      workflows: options.eventWorkflows,
      attemptsAreMade: () => heartbeat.firstAttemptsAreMade,
      machine: heartbeat,
    });
    this.#commands = new Commands({ sql, engine, writes, token: claims.token, log, isAlive });
    let sweptTo: SweepPosition | null = null;
    let moreHeld = false;
    const sweeper = new Poller({
      name: 'sweep',
      idleMs: Math.min(sweepMs, options.overdueS * 500),
      log,
      work: async () => {
        // Both others read the queue, so only once in a pass of the sweep.
        const looksForHeld = sweptTo === null || moreHeld;
        const { queued, next } = await sweep(sql, { overdueS: options.overdueS, limit: sweepLimit, after: sweptTo });
        sweptTo = next;
        if (queued > 0) {
          log.warn({ events: queued }, 'overdue events requeued');
          this.#starts.wake();
        }
        if (looksForHeld) {
          const ended = await exhaustDisabledEvents(sql, sweepLimit, whenExhausted);
          for (let n = 0; n < ended.exhausted; n++) options.onExhausted();
          const waiting = await letDueWait(sql, { lastAttempt, limit: sweepLimit });
          moreHeld = ended.more || waiting === sweepLimit;
        }
        return next !== null || moreHeld ? 'more' : 'idle';
      },
    });
    const leaving = new LeavingToWorkflows({
      ...{ sql, log, patienceMs: options.patienceMs, isAlive },
      firstAttemptsAreMade: () => heartbeat.firstAttemptsAreMade,
      temporalAnswers: () => engine.answers(),
      onLeft: () => this.#starts.wake(),
    });
    this.#parts = [sweeper, leaving, watchBacklog({ sql, log, limit: options.backlogLimit })];
  }

  /** Starts the dispatcher. Without an engine, everything waits. */
  start(): void {
    void this.#holder.start();
    this.#starts.start();
    this.#commands.start();
    for (const part of this.#parts) part.start();
  }

  /** Sets the engine when Temporal is connected, or null when the connection ends. */
  setEngine(engine: WorkflowEngine | null): void {
    this.#engine.set(engine);
    this.#starts.wake();
    this.#commands.wake();
  }

  /** Stops starting workflows and passing commands on, and waits for those in flight. */
  async stop(): Promise<void> {
    await Promise.all([this.#starts, this.#commands, ...this.#parts].map((part) => part.stop()));
    await this.#holder.stop();
  }
}
