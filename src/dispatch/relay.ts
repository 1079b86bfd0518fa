import type { DeliverySchedule } from '../../workflows/messages.ts';
import type { Sql } from '../database/sql.ts';
import type { Attempts } from '../delivery/attempt/attempt.ts';
import type { EventWorkflows } from '../events/event-workflows.ts';
import type { HandOver } from '../events/hand-over.ts';
import { sweep } from '../events/transitions/swept.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { IdleCpu } from '../shared/idle-cpu.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';
import { type BacklogLimit, watchBacklog } from './backlog-watch.ts';
import { ClaimHolder } from './claim-holder.ts';
import { Commands } from './commands.ts';
import { EngineLink } from './engine-link.ts';
import { FirstAttempts } from './first-attempts.ts';
import { type PermitMode, Permits } from './permits.ts';
import { QueueWrites } from './queue-writes.ts';
import { Starts } from './starts.ts';
import type { WorkerBeside } from './worker-news.ts';
import type { WorkflowEngine } from './workflow-engine.ts';

export interface RelayOptions {
  sql: Sql;
  databaseUrl: string;
  attempts: Attempts;
  schedule: DeliverySchedule;
  firstAttempt: PermitMode;
  firstAttemptPermits: number;
  eventWorkflows: EventWorkflows;
  /** Whether another process beside this one makes the first attempts without a workflow (front-relay.ts). */
  attemptsBeside: boolean;
  /** From which backlog of workflow starts on operators are told. */
  backlogLimit: BacklogLimit;
  metrics: Pick<Metrics, 'leaseLost'>;
  log: Log;
  /** Seconds after which a pending event that is past its time counts as overdue. */
  overdueS: number;
}

const sweepMs = 30_000;
const sweepLimit = 500;
/** With more first attempts per second than this, starts of settled events get only what is idle. */
const quietPace = 1;

/**
 * Passes committed events and commands from PostgreSQL on to their workflows. Makes first attempts itself when Temporal
 * would delay them. Only the relay starts and signals the workflows of events.
 */
export class Relay {
  readonly #engine = new EngineLink();
  readonly #permits: Permits;
  readonly #claims: ClaimHolder;
  readonly #firstAttempts: FirstAttempts;
  readonly #starts: Starts;
  readonly #commands: Commands;
  readonly #sweeper: Poller;
  readonly #backlog: Poller;
  #perSecondBeside = 0;

  constructor(options: RelayOptions) {
    const { sql, log, attempts, schedule } = options;
    const engine = this.#engine;
    const writes = new QueueWrites(sql);
    const claims = new ClaimHolder({
      ...{ sql, databaseUrl: options.databaseUrl, log, timeLimitMs: schedule.timeLimitMs },
      onClaimable: () => {
        this.#firstAttempts.wake();
        this.#starts.wake();
        this.#commands.wake();
      },
      onResumed: () => {
        this.#firstAttempts.wake();
        this.#sweeper.wake();
      },
      onQueued: (accountId) => this.#firstAttempts.wake(accountId),
      onCommands: () => {
        this.#commands.wake();
        this.#starts.wake();
      },
    });
    this.#claims = claims;
    const { leases } = claims;
    const holdsLock = () => claims.holdsLock;
    const idleCpu = new IdleCpu();
    this.#permits = new Permits({
      // A workflow must not be started for an event that may need none.
      mode: options.eventWorkflows === 'on_retry' ? 'direct' : options.firstAttempt,
      size: options.firstAttemptPermits,
      keepsUp: () => engine.up && !this.#starts.behind,
    });
    this.#starts = new Starts({
      ...{ sql, engine, leases, writes, log, holdsLock },
      workflows: options.eventWorkflows,
      attemptsBusy: () => Math.max(this.#firstAttempts.perSecond, this.#perSecondBeside) > quietPace,
      idleShare: () => idleCpu.share(),
    });
    this.#firstAttempts = new FirstAttempts({
      ...{ sql, engine, attempts, leases, writes, schedule, log, holdsLock },
      permits: this.#permits,
      metrics: options.metrics,
      scope: options.attemptsBeside && options.firstAttempt !== 'workflow' ? 'workflow' : 'all',
      paused: () => claims.pause.paused,
      onMoved: (pending) => this.#starts.moved(pending),
    });
    this.#commands = new Commands({ sql, engine, writes, token: leases.token, log, holdsLock });
    this.#sweeper = new Poller({
      name: 'sweep',
      idleMs: Math.min(sweepMs, options.overdueS * 500),
      log,
      work: async () => {
        const { endedWorkflows, makesLate: expected } = claims.pause;
        const overdueS = endedWorkflows ? 0 : options.overdueS;
        const { queued, more } = await sweep(sql, { overdueS, limit: sweepLimit });
        if (queued > 0) {
          log[expected ? 'info' : 'warn']({ events: queued }, 'overdue events requeued');
          this.#starts.wake();
        }
        // During a short pause, all due events become overdue, and most of them have a workflow. Only events whose
        // workflow was lost need this, so they are requeued slowly. After a long one, all due events need it.
        return more && (endedWorkflows || !expected) ? 'more' : 'idle';
      },
    });
    this.#backlog = watchBacklog({ sql, log, limit: options.backlogLimit });
  }

  /** Starts the relay. Without an engine, it only makes first attempts; everything else waits. */
  start(): void {
    this.#claims.start();
    this.#firstAttempts.start();
    this.#starts.start();
    this.#commands.start();
    this.#sweeper.start();
    this.#backlog.start();
  }

  /** Sets the engine when Temporal is connected, or null when the connection ends. */
  setEngine(engine: WorkflowEngine | null): void {
    this.#engine.set(engine);
    this.#firstAttempts.wake();
    this.#starts.wake();
    this.#commands.wake();
  }

  /** Where events go that this process accepts. */
  get handOver(): HandOver {
    return this.#firstAttempts.handOver;
  }

  /** What a process beside this one calls that makes first attempts (front-relay.ts). */
  get beside(): WorkerBeside {
    return {
      pace: (perSecond) => {
        this.#perSecondBeside = perSecond;
      },
      moved: ({ pending }) => this.#starts.moved(pending),
    };
  }

  /** Called when a worker of this process begins the event's attempt for its workflow. */
  attemptBegan(eventId: string): void {
    this.#permits.began(eventId);
  }

  /** Stops claiming events and starting workflows. Attempts in flight go on, and need the engine no more. */
  async stopTaking(): Promise<void> {
    this.#permits.close();
    const pollers = [this.#starts, this.#commands, this.#sweeper, this.#backlog];
    await Promise.all([this.#firstAttempts.stopTaking(), ...pollers.map((poller) => poller.stop())]);
  }

  /** Stops claiming and waits for the work in flight. */
  async stop(): Promise<void> {
    await this.stopTaking();
    await this.#firstAttempts.stop();
    await this.#claims.stop();
  }
}
