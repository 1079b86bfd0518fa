import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliverySchedule } from '../../workflows/messages.ts';
import type { Sql } from '../database/sql.ts';
import type { Attempts } from '../delivery/attempt/attempt.ts';
import type { Turn } from '../delivery/turn-gate.ts';
import { beforeAllAccounts, type Claimed, claimForAttempt, takeOverAttempt } from '../events/queue.ts';
import type { Started } from '../events/transitions/started.ts';
import type { Log } from '../shared/log.ts';
import { Poller, type Round } from '../shared/poller.ts';
import { ArrivalRate } from './arrival-rate.ts';
import type { EngineLink } from './engine-link.ts';
import { ensureWorkflow } from './ensure-workflow.ts';
import type { Held, Leases } from './leases.ts';
import type { Permits } from './permits.ts';
import type { QueueWrites } from './queue-writes.ts';
import { EngineUnavailable } from './workflow-engine.ts';

export interface FirstAttemptsDeps {
  sql: Sql;
  engine: EngineLink;
  attempts: Attempts;
  leases: Leases;
  writes: QueueWrites;
  permits: Permits;
  schedule: DeliverySchedule;
  log: Log;
  /** Whether deliveries are known to be paused. Then no claims are made. */
  paused(): boolean;
  /** Whether other processes can see that this one is alive. Otherwise, nothing is claimed or attempted. */
  holdsLock(): boolean;
  /** Called when an event only needs its workflow; `pending`: whether it needs more attempts. */
  onMoved(pending: boolean): void;
}

/** Attempts in flight of this process, over all accounts. */
const maxInFlight = 512;
/** Rows per claim. Larger claims delay their first attempts and are not faster. */
const maxClaim = 128;
const idleMs = 1_000;
/** With more attempts in flight than this, claims are at least 5 ms apart, so that one claim takes several events. */
const crowd = 16;
const crowdPauseMs = 5;
/** Events per second whose workflows Temporal can start on two cores without falling behind. */
const enginePace = 80;
const heldDelayS = 0.2;
const downDelayS = 1;

/** Lets an event's workflow make the first attempt if Temporal is fast enough. Otherwise, the relay makes it itself. */
export class FirstAttempts {
  readonly #deps: FirstAttemptsDeps;
  readonly #poller: Poller;
  /** The attempts in flight, by event id. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #rate = new ArrivalRate();
  #after = beforeAllAccounts;
  #claimedAtMs = 0;

  constructor(deps: FirstAttemptsDeps) {
    this.#deps = deps;
    this.#poller = new Poller({ name: 'first attempts', idleMs, log: deps.log, work: () => this.#round() });
  }

  /** Whether events arrive faster than Temporal can start their workflows. Starts of settled events then wait. */
  get busy(): boolean {
    return this.#rate.perSecond > enginePace;
  }

  start(): void {
    this.#poller.start();
  }

  wake(): void {
    this.#poller.wake();
  }

  /** Stops claiming and waits for the attempts in flight. */
  async stop(): Promise<void> {
    await this.#poller.stop();
    const drained = Promise.allSettled([...this.#running.values()]);
    // After the time limit, an attempt can only be waiting for the database. It is aborted, and claimed again later.
    const timer = setTimeout(() => this.#stopping.abort(), this.#deps.schedule.timeLimitMs + 5_000);
    await drained;
    clearTimeout(timer);
  }

  async #round(): Promise<Round> {
    const { sql, leases, attempts, permits, paused, holdsLock } = this.#deps;
    if (paused() || !holdsLock()) return 'idle';
    const free = maxInFlight - this.#running.size;
    const permitted = permits.free();
    const limit = Math.min(free, maxClaim, permits.only ? permitted : maxClaim);
    if (limit <= 0 || (permits.only && permitted < permits.size / 4)) return 'idle';
    if (this.#running.size > crowd) await sleep(Math.max(0, this.#claimedAtMs + crowdPauseMs - performance.now()));
    this.#claimedAtMs = performance.now();
    const { claimed, next } = await leases.claim(() =>
      claimForAttempt(sql, {
        after: this.#after,
        busy: attempts.gate.busy(performance.now()),
        accountConcurrency: attempts.gate.limit,
        limit,
        token: leases.token,
        leaseS: leases.leaseS,
        permits: permitted,
      }),
    );
    this.#after = next ?? beforeAllAccounts;
    // Oldest first, because the oldest events should get the free turns of their account.
    for (const claim of claimed.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1))) this.#begin(claim);
    return claimed.length === limit || next !== null ? 'more' : 'idle';
  }

  #begin(claim: Held): void {
    const { eventId, accountId, hold } = claim;
    // Taken before any `await`, because the next claim counts the turns that are taken.
    const turn = claim.direct ? this.#deps.attempts.gate.enterDirect(accountId, performance.now()) : null;
    this.#rate.count();
    // The event may be claimed again during its attempt: after a replay, or because the lease expired while the
    // database was unavailable. The new claim waits for the attempt in flight.
    const run = Promise.resolve(this.#running.get(eventId))
      .then(() => (turn ? this.#direct(claim, turn) : this.#byWorkflow(claim)))
      .then(hold.release, (error: unknown) => {
        hold.abandon();
        this.#deps.log.warn({ err: error, eventId }, 'first attempt not completed, its event is claimed again');
      })
      .finally(() => {
        if (this.#running.get(eventId) === run) this.#running.delete(eventId);
        this.#poller.wake();
      });
    this.#running.set(eventId, run);
  }

  async #direct(claim: Claimed, turn: Turn): Promise<void> {
    const { attempts, schedule, writes, leases, onMoved, holdsLock } = this.#deps;
    const { eventId, generation } = claim;
    const { token } = leases;
    if (!holdsLock()) {
      if ('leave' in turn) turn.leave();
      return await writes.handBack({ eventId, generation, token, delayS: 0 });
    }
    // Workflows took the last turns during the claim. The event is handed back and claimed first when a turn is free.
    if ('waitMs' in turn) return await writes.handBack({ eventId, generation, token, delayS: 0 });
    const { result, recorded } = await attempts
      .attempt(
        { eventId, generation, trigger: 'schedule', number: 1, schedule },
        { claimToken: token, signal: this.#stopping.signal },
      )
      .finally(() => turn.leave());
    // Recording an attempt also sets the event's lane. If nothing was recorded, the lane is set by the event's row.
    if (!recorded)
      await writes.handBack({ eventId, generation, token, delayS: result.kind === 'wait' ? heldDelayS : 0 });
    onMoved(result.kind === 'failed' || result.kind === 'wait');
  }

  async #byWorkflow(claim: Claimed): Promise<void> {
    const { attempts, permits, writes, leases, sql, log } = this.#deps;
    const { eventId, accountId, generation } = claim;
    const { token } = leases;
    const permit = permits.take(eventId);
    let started: Started;
    try {
      started = await ensureWorkflow(this.#deps, claim);
    } catch (error) {
      permit.release();
      if (!(error instanceof EngineUnavailable)) log.error({ err: error, eventId }, 'workflow not started');
      if (permits.only) return await writes.handBack({ eventId, generation, token, delayS: downDelayS });
      // It is not known whether the workflow was started. If it was, its attempt waits while the claim is direct.
      if (await takeOverAttempt(sql, { eventId, generation, token }))
        await this.#direct(claim, attempts.gate.enterDirect(accountId, performance.now()));
      return;
    }
    try {
      await writes.markStarted(started);
    } catch (error) {
      // The workflow is running and makes the attempt. The claim is abandoned, not handed back: so the next one is not
      // direct, finds the running workflow, and records it.
      permit.release();
      throw error;
    }
    // A workflow that was already running may have begun its attempt long ago.
    if (started.runId === null) permit.release();
    await permit.begun;
  }
}
