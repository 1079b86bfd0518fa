import type { Sql } from '../database/sql.ts';
import { type Round as ClaimedStarts, claimPendingForStart, claimSettledForStart } from '../events/claim-starts.ts';
import type { EventWorkflows } from '../events/event-workflows.ts';
import { lanes, type StartLane } from '../events/lanes.ts';
import { lowestId } from '../events/queue.ts';
import { releaseSettledEvents } from '../events/transitions/no-workflow.ts';
import type { Log } from '../shared/log.ts';
import { Poller, type Round } from '../shared/poller.ts';
import { EngineUnavailable } from './engine-errors.ts';
import type { EngineLink } from './engine-link.ts';
import { ensureWorkflow } from './ensure-workflow.ts';
import type { Held, Leases } from './leases.ts';
import type { QueueWrites } from './queue-writes.ts';
import { SettledRoom, type SettledRoomDeps } from './settled-room.ts';
import { StartPosition } from './start-position.ts';

export interface StartsDeps extends SettledRoomDeps {
  sql: Sql;
  engine: EngineLink;
  leases: Leases;
  writes: QueueWrites;
  log: Log;
  /** Whether settled events get a workflow (`always`), or leave the queue without one (`on_retry`). */
  workflows: EventWorkflows;
  /** Whether other processes can see that this one is alive. Otherwise, nothing is claimed. */
  holdsLock(): boolean;
}

const { pendingStart, settledStart } = lanes;

/** Starts in flight. With more, Temporal on two cores becomes slower. */
const pendingConcurrency = 32;
const idleMs = 1_000;
const downDelayS = 2;

/** Starts the workflows of events whose first attempt the relay has made. Pending events come before settled ones. */
export class Starts {
  readonly #deps: StartsDeps;
  readonly #pending: Poller;
  readonly #settled: Poller;
  readonly #inFlight = { [pendingStart]: 0, [settledStart]: 0 };
  readonly #starting = new Set<Promise<void>>();
  readonly #full = { [pendingStart]: false, [settledStart]: false };
  readonly #position = new StartPosition();
  /** The account after which the next claim of pending events continues. */
  #after = lowestId;
  readonly #room: SettledRoom;
  #trickle: NodeJS.Timeout | null = null;

  constructor(deps: StartsDeps) {
    this.#deps = deps;
    this.#room = new SettledRoom(deps);
    this.#pending = new Poller({
      name: 'starts of pending events',
      idleMs,
      log: deps.log,
      work: () => this.#round(pendingStart, pendingConcurrency),
    });
    this.#settled = new Poller({
      name: 'starts of settled events',
      idleMs,
      log: deps.log,
      work: () =>
        deps.workflows === 'always' ? this.#round(settledStart, this.#room.limit()) : this.#releaseSettled(),
    });
  }

  /** Whether many events wait for their workflow, which means that Temporal does not keep up. */
  get behind(): boolean {
    const full = this.#full[pendingStart] || this.#full[settledStart];
    return full || this.#inFlight[pendingStart] + this.#inFlight[settledStart] > 1;
  }

  start(): void {
    this.#pending.start();
    this.#settled.start();
  }

  wake(): void {
    this.#pending.wake();
    this.#settled.wake();
  }

  /** Called when events only need their workflow; `pending`: whether some of them need more attempts. */
  moved(pending: boolean): void {
    if (pending) this.#pending.wake();
    // With `on_retry`, the few settled events that are still in the queue can wait for the next round.
    if (this.#deps.workflows === 'always') this.#settled.wake();
  }

  async stop(): Promise<void> {
    if (this.#trickle) clearTimeout(this.#trickle);
    await Promise.all([this.#pending.stop(), this.#settled.stop()]);
    await Promise.all(this.#starting);
  }

  async #round(lane: StartLane, concurrency: number): Promise<Round> {
    const { leases, engine, holdsLock } = this.#deps;
    if (!holdsLock()) return 'idle';
    if (concurrency === 0) this.#wakeSettledLater();
    // A start in flight wakes the poller when it ends. Without Temporal, a probe per second is enough.
    const limit = engine.room(concurrency - this.#inFlight[lane]);
    if (limit <= 0) return 'idle';
    const { token, leaseS } = leases;
    const claim = { limit, token, leaseS };
    const { claimed, next } = await leases.claim(() =>
      lane === pendingStart ? this.#claimPending(claim) : this.#claimSettled(claim),
    );
    // Accounts share a claim equally, so even a claim that is half full means that more events are waiting.
    this.#full[lane] = claimed.length * 2 >= limit;
    for (const claim of claimed) {
      this.#inFlight[lane]++;
      const start = this.#start(claim).finally(() => {
        this.#inFlight[lane]--;
        this.#starting.delete(start);
        (lane === pendingStart ? this.#pending : this.#settled).wake();
      });
      this.#starting.add(start);
    }
    return next !== null && claimed.length < limit ? 'more' : 'idle';
  }

  async #claimPending(claim: { limit: number; token: string; leaseS: number }): Promise<ClaimedStarts> {
    const round = await claimPendingForStart(this.#deps.sql, { ...claim, after: this.#after });
    this.#after = round.next ?? lowestId;
    return round;
  }

  async #claimSettled(claim: { limit: number; token: string; leaseS: number }): Promise<ClaimedStarts> {
    const beganMs = performance.now();
    const round = await claimSettledForStart(this.#deps.sql, { ...claim, after: this.#position.after(beganMs) });
    this.#position.claimed(round.claimed.at(-1)?.eventId ?? null, { beganMs, nowMs: performance.now() });
    return round;
  }

  async #releaseSettled(): Promise<Round> {
    return (await releaseSettledEvents(this.#deps.sql)) ? 'more' : 'idle';
  }

  /** Wakes the poller of settled events when the next start is allowed. */
  #wakeSettledLater(): void {
    this.#trickle ??= setTimeout(() => {
      this.#trickle = null;
      this.#settled.wake();
    }, this.#room.againMs);
  }

  async #start(claim: Held): Promise<void> {
    const { leases, writes, log } = this.#deps;
    const { eventId, generation, hold } = claim;
    const { token } = leases;
    try {
      await writes.markStarted(await ensureWorkflow(this.#deps, claim));
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) log.error({ err: error, eventId }, 'workflow not started, retrying');
      try {
        await writes.handBack({ eventId, generation, token, delayS: downDelayS });
      } catch (failure) {
        log.warn({ err: failure, eventId }, 'claim not handed back, its event is claimed again');
        return hold.abandon();
      }
    }
    hold.release();
  }
}
