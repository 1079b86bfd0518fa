import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../database/sql.ts';
import { ClaimPass } from '../events/claim-pass.ts';
import type { EventWorkflows } from '../events/event-workflows.ts';
import { lanes, type StartLane } from '../events/lanes.ts';
import type { Claimed } from '../events/queue.ts';
import { releaseSettledEvents } from '../events/transitions/no-workflow.ts';
import type { ClaimReturns } from '../processes/claim-returns.ts';
import type { Held, HeldClaims } from '../processes/held-claims.ts';
import type { Log } from '../shared/log.ts';
import { Poller, type Round } from '../shared/poller.ts';
import { claimPendingForStart, claimSettledForStart } from './claim-starts.ts';
import { EngineUnavailable } from './engine-errors.ts';
import type { EngineLink } from './engine-link.ts';
import { ensureWorkflow } from './ensure-workflow.ts';
import type { QueueWrites } from './queue-writes.ts';
import { StartPosition } from './start-position.ts';

export interface StartsDeps {
  sql: Sql;
  engine: EngineLink;
  claims: HeldClaims;
  writes: QueueWrites;
  returns: ClaimReturns;
  log: Log;
  /** Whether all settled events get a workflow (`always`), or only those with notifications to send (`on_retry`). */
  workflows: EventWorkflows;
  /** Whether other processes see that this one is alive. Otherwise, nothing is claimed. */
  isAlive(): boolean;
  /** Whether an api makes first attempts, and those that were due while they could not be sent. */
  attemptsAreMade(): boolean;
  /** First attempts a second of the processes on this machine, and how many of them are workers, this one included. */
  machine: { readonly firstAttemptsPerSHere: number; readonly workersHere: number };
}

const { pendingStart, settledStart } = lanes;
const cores = availableParallelism();

/**
 * Starts in flight of each lane. With more of pending events, Temporal on two cores becomes slower. Those of settled events
 * only make them visible in Temporal: on two cores at 150 webhooks a second, 12 at a time started 101 a second and 3 at
 * a time 42, without a later retry or answer (docs/decisions/which-events-get-a-workflow.md). The workers of a machine share
 * the 12.
 */
const concurrency = { [pendingStart]: 32, [settledStart]: 12 };
/** Nothing tells a worker that an event needs its workflow: it looks. A first retry is due after some seconds. */
const idleMs = 250;
/** Claims of settled events are at least this far apart, so that each takes several events. Each costs a statement. */
const paceMs = 25;
/**
 * First attempts a second for each core from which on they need the cores of this machine: then settled events start one
 * at a time, and one a second, those of all its workers together. Otherwise a burst would be accepted and delivered a
 * quarter more slowly. Ten a second took a twentieth of two cores.
 */
const burstPerCore = 150;
const burstPaceMs = 1_000;
const downDelayS = 2;

/** Claimed events, and whether more may be found at once. */
interface ClaimedStarts {
  claimed: Claimed[];
  more: boolean;
}

/** Starts the workflows of events whose first attempt was made. Pending events come before settled ones. */
export class Starts {
  readonly #deps: StartsDeps;
  readonly #pending: Poller;
  readonly #settled: Poller;
  readonly #inFlight = { [pendingStart]: 0, [settledStart]: 0 };
  readonly #starting = new Set<Promise<void>>();
  #settledAtMs = Number.NEGATIVE_INFINITY;
  readonly #position = new StartPosition();
  readonly #pass = new ClaimPass();

  constructor(deps: StartsDeps) {
    this.#deps = deps;
    this.#pending = new Poller({
      name: 'starts of pending events',
      idleMs,
      log: deps.log,
      work: () => this.#round(pendingStart, concurrency[pendingStart]),
    });
    this.#settled = new Poller({
      name: 'starts of settled events',
      idleMs,
      log: deps.log,
      work: () => (deps.workflows === 'always' ? this.#settledRound() : this.#releaseSettled()),
    });
  }

  start(): void {
    this.#pending.start();
    this.#settled.start();
  }

  wake(): void {
    this.#pending.wake();
    this.#settled.wake();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#pending.stop(), this.#settled.stop()]);
    await Promise.all(this.#starting);
  }

  async #settledRound(): Promise<Round> {
    const { firstAttemptsPerSHere, workersHere } = this.#deps.machine;
    const isBurst = firstAttemptsPerSHere > burstPerCore * cores;
    const waitMs = this.#settledAtMs + (isBurst ? burstPaceMs * workersHere : paceMs) - performance.now();
    // Looks again instead of waiting: the burst may end before, and a stop waits for the round.
    if (isBurst && waitMs > 0) return 'idle';
    await sleep(Math.max(0, waitMs));
    this.#settledAtMs = performance.now();
    return this.#round(settledStart, isBurst ? 1 : Math.ceil(concurrency[settledStart] / workersHere));
  }

  async #round(lane: StartLane, most: number): Promise<Round> {
    const { claims, engine, isAlive } = this.#deps;
    if (!isAlive()) return 'idle';
    // A start in flight wakes the poller when it ends. Without Temporal, a probe per second is enough.
    const limit = engine.room(most - this.#inFlight[lane]);
    if (limit <= 0) return 'idle';
    const claim = { limit, token: claims.token };
    const { claimed, more } = await claims.claim(() =>
      lane === pendingStart ? this.#claimPending(claim) : this.#claimSettled(claim),
    );
    for (const claim of claimed) {
      this.#inFlight[lane]++;
      const start = this.#start(claim, () => {
        this.#inFlight[lane]--;
        (lane === pendingStart ? this.#pending : this.#settled).wake();
      }).finally(() => this.#starting.delete(start));
      this.#starting.add(start);
    }
    return more && claimed.length < limit ? 'more' : 'idle';
  }

  async #claimPending(claim: { limit: number; token: string }): Promise<ClaimedStarts> {
    const { sql, engine, attemptsAreMade } = this.#deps;
    const round = await claimPendingForStart(sql, {
      ...{ ...claim, after: this.#pass.after },
      // Those would only wait for Temporal from then on, also when an api is back before Temporal is.
      waited: !attemptsAreMade() && !engine.isDown,
    });
    return { claimed: round.claimed, more: this.#pass.goOn({ claimed: round.claimed.length, next: round.next }) };
  }

  async #claimSettled(claim: { limit: number; token: string }): Promise<ClaimedStarts> {
    const beganMs = performance.now();
    const round = await claimSettledForStart(this.#deps.sql, {
      ...{ ...claim, after: this.#position.after(beganMs), all: this.#deps.workflows === 'always' },
    });
    this.#position.claimed(round.claimed.at(-1)?.eventId ?? null, { beganMs, nowMs: performance.now() });
    // A claim that has taken fewer than it could has found the last one.
    return { claimed: round.claimed, more: false };
  }

  async #releaseSettled(): Promise<Round> {
    return (await releaseSettledEvents(this.#deps.sql)) ? 'more' : this.#settledRound();
  }

  /** @param onStarted called when Temporal has answered. The record, which lingers, keeps no other start from beginning. */
  async #start(claim: Held, onStarted: () => void): Promise<void> {
    const { claims, writes, returns, log } = this.#deps;
    const { eventId, generation, hold } = claim;
    const { token } = claims;
    try {
      await writes.markStarted(await ensureWorkflow(this.#deps, claim).finally(onStarted));
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) log.error({ err: error, eventId }, 'workflow not started, retrying');
      try {
        await returns.handBack({ eventId, generation, token, delayS: downDelayS });
      } catch (failure) {
        log.warn({ err: failure, eventId }, 'claim not handed back, its event is claimed again');
        return hold.abandon();
      }
    }
    hold.release();
  }
}
