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
import type { Leases } from './leases.ts';
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
  /** Deliveries are known to be paused, so looking for work is in vain. */
  paused(): boolean;
  /** An event now needs its workflow only; `pending` says whether it needs more attempts. */
  onMoved(pending: boolean): void;
}

/** Attempts that this process makes at once, over all accounts. */
const maxInFlight = 512;
/** Rows a claim: more keep the first ones waiting for no gain. */
const maxClaim = 128;
const idleMs = 1_000;
/** With this many attempts under way, claims are this far apart: a crowd is cheaper to claim together. */
const crowd = 16;
const crowdPauseMs = 5;
/** Events a second of which Temporal keeps up with the workflows on two cores. */
const enginePace = 80;
const heldDelayS = 0.2;
const downDelayS = 1;

/** Sees to the first attempt of every event: by its workflow where that is quick, else by the relay itself. */
export class FirstAttempts {
  readonly #deps: FirstAttemptsDeps;
  readonly #poller: Poller;
  /** By event. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #rate = new ArrivalRate();
  #after = beforeAllAccounts;
  #claimedAtMs = 0;

  constructor(deps: FirstAttemptsDeps) {
    this.#deps = deps;
    this.#poller = new Poller({ name: 'first attempts', idleMs, log: deps.log, work: () => this.#round() });
  }

  /** Whether first attempts are made at a pace that the engine could not follow, so that it should stand back. */
  get busy(): boolean {
    return this.#rate.perSecond > enginePace;
  }

  start(): void {
    this.#poller.start();
  }

  wake(): void {
    this.#poller.wake();
  }

  /** Claims no more and lets the attempts in flight end. */
  async stop(): Promise<void> {
    await this.#poller.stop();
    const drained = Promise.allSettled([...this.#running.values()]);
    // An attempt that only waits for a database that is away is given up; its event is claimed again later.
    const timer = setTimeout(() => this.#stopping.abort(), this.#deps.schedule.timeLimitMs + 5_000);
    await drained;
    clearTimeout(timer);
  }

  async #round(): Promise<Round> {
    const { sql, leases, attempts, permits, paused } = this.#deps;
    if (paused()) return 'idle';
    const free = maxInFlight - this.#running.size;
    const permitted = permits.free();
    const limit = Math.min(free, maxClaim, permits.only ? permitted : maxClaim);
    if (limit <= 0 || (permits.only && permitted < permits.size / 4)) return 'idle';
    if (this.#running.size > crowd) await sleep(Math.max(0, this.#claimedAtMs + crowdPauseMs - Date.now()));
    this.#claimedAtMs = Date.now();
    const { claimed, next } = await claimForAttempt(sql, {
      after: this.#after,
      busy: attempts.gate.busy(Date.now()),
      accountConcurrency: attempts.gate.limit,
      limit,
      token: leases.token,
      leaseS: leases.leaseS,
      permits: permitted,
    });
    this.#after = next ?? beforeAllAccounts;
    // The earliest get the turns that are left.
    for (const claim of claimed.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1))) this.#begin(claim);
    return claimed.length === limit || next !== null ? 'more' : 'idle';
  }

  #begin(claim: Claimed): void {
    const { eventId, accountId } = claim;
    const release = this.#deps.leases.hold(eventId);
    // At once: the next claim counts the turns that are taken, and must not overtake this one while its event is read.
    const turn = claim.direct ? this.#deps.attempts.gate.enterDirect(accountId, Date.now()) : null;
    this.#rate.count();
    // The event may be claimed again while its attempt lasts: it was replayed, or the lease ran out while the database
    // was away. The attempt in flight ends first.
    const run = Promise.resolve(this.#running.get(eventId))
      .then(() => (turn ? this.#direct(claim, turn) : this.#byWorkflow(claim)))
      .catch((error: unknown) => {
        this.#deps.log.warn({ err: error, eventId }, 'a first attempt could not be made; its claim runs out by itself');
      })
      .finally(() => {
        release();
        if (this.#running.get(eventId) === run) this.#running.delete(eventId);
        this.#poller.wake();
      });
    this.#running.set(eventId, run);
  }

  async #direct(claim: Claimed, turn: Turn): Promise<void> {
    const { attempts, schedule, writes, leases, onMoved } = this.#deps;
    const { eventId, generation } = claim;
    const { token } = leases;
    // Workflows took the last turns while this was claimed. It is the first again when there is one.
    if ('waitMs' in turn) return await writes.handBack({ eventId, generation, token, delayS: 0 });
    const { result, recorded } = await attempts
      .attempt(
        { eventId, generation, trigger: 'schedule', number: 1, schedule },
        { claimToken: token, signal: this.#stopping.signal },
      )
      .finally(() => turn.leave());
    // Recording moves the event on. Whatever was not recorded goes to where its row says it belongs.
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
      if (!(error instanceof EngineUnavailable)) log.error({ err: error, eventId }, 'a workflow could not be started');
      if (permits.only) return await writes.handBack({ eventId, generation, token, delayS: downDelayS });
      // Whether the workflow started is not known. Its attempt waits while the claim says that the relay makes it.
      if (await takeOverAttempt(sql, { eventId, generation, token }))
        await this.#direct(claim, attempts.gate.enterDirect(accountId, Date.now()));
      return;
    }
    try {
      await writes.markStarted(started);
      await permit.begun;
    } catch (error) {
      // The workflow runs and makes the attempt. That it runs is found out again by the next claim.
      permit.release();
      log.warn({ err: error, eventId }, 'the start of a workflow could not be noted');
      await writes.handBack({ eventId, generation, token, delayS: downDelayS });
    }
  }
}
