import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliverySchedule } from '../../workflows/messages.ts';
import type { Sql } from '../database/sql.ts';
import type { Attempts } from '../delivery/attempt/attempt.ts';
import type { Turn } from '../delivery/turn-gate.ts';
import type { HandOver, Place, StoredEvent, WorkflowSide } from '../events/hand-over.ts';
import { type Claimed, type ClaimScope, claimForAttempt, takeOverAttempt } from '../events/queue.ts';
import type { Started } from '../events/transitions/started.ts';
import type { Log } from '../shared/log.ts';
import { Poller, type Round } from '../shared/poller.ts';
import { ArrivalRate } from './arrival-rate.ts';
import { Backlog } from './backlog.ts';
import type { EngineLink } from './engine-link.ts';
import { ensureWorkflow } from './ensure-workflow.ts';
import type { Hold, Leases } from './leases.ts';
import type { Permit, Permits } from './permits.ts';
import type { QueueWrites } from './queue-writes.ts';
import { TurnLines } from './turn-lines.ts';
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
  /** Which events are claimed from the queue. */
  scope: ClaimScope;
  /** The worker process beside this one, whose workflows may make first attempts; null if this process has its own. */
  workerBeside: WorkflowSide | null;
  /** Called when an event only needs its workflow; `pending`: whether it needs more attempts. */
  onMoved(pending: boolean): void;
}

/** Attempts in flight of this process over all accounts, and events that wait in memory for their turn. */
const maxInFlight = 1_024;
/** Rows per claim. Larger claims delay their first attempts and are not faster. */
const maxClaim = 128;
const idleMs = 1_000;
/** With more attempts in flight than this, claims are at least 5 ms apart, so that one claim takes several events. */
const crowd = 16;
const crowdPauseMs = 5;
/**
 * The first event after such a silence may wait for its workflow. Those that follow sooner may belong to a burst, in which
 * a workflow takes many times as long as an attempt.
 */
const silenceMs = 100;
const heldDelayS = 0.2;
const downDelayS = 1;
/** Events of one account that wait in memory for a turn. More wait in the queue, where other processes find them. */
const longestLine = 256;
/** Events are claimed for a line up to this length, so that its account's turns are never without work. */
const claimedLine = 64;
/** A line of this length is worth a short wait of those who accept more, if the consumer answers as quickly as this. */
const crowdedLine = 48;
const quickMs = 100;
const longestRoomMs = 25;
/** The most bytes of bodies that were handed over and are not attempted yet. */
const maxHandedBytes = 64 * 1024 * 1024;

/** What the first attempt of a claimed event has: its turn if the relay makes it, else its permit. */
interface Way {
  turn: Turn | null;
  permit: Permit | null;
  hold: Hold;
  /** The event, if it was handed over. Otherwise, it is read. */
  event: StoredEvent | null;
}

/** Lets an event's workflow make the first attempt if Temporal is fast enough. Otherwise, the relay makes it itself. */
export class FirstAttempts implements HandOver {
  readonly #deps: FirstAttemptsDeps;
  readonly #poller: Poller;
  /** The attempts in flight, by event id. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #rate = new ArrivalRate();
  readonly #backlog = new Backlog();
  readonly #lines = new TurnLines();
  #roomAsked: (() => void)[] = [];
  #stopped = false;
  /** Places that are reserved for events that are being stored. */
  #reserved = 0;
  #handedBytes = 0;
  #claimedAtMs = 0;
  #arrivedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: FirstAttemptsDeps) {
    this.#deps = deps;
    this.#poller = new Poller({ name: 'first attempts', idleMs, log: deps.log, work: () => this.#round() });
    deps.attempts.gate.onLeft = (accountId) => this.#advance(accountId);
  }

  /** First attempts per second. */
  get perSecond(): number {
    return this.#rate.perSecond;
  }

  get leaseS(): number {
    return this.#deps.leases.leaseS;
  }

  start(): void {
    this.#poller.start();
  }

  /** Looks for events in the queue: of one account, or of any. */
  wake(accountId: string | null = null): void {
    this.#backlog.noticed(accountId);
    this.#poller.wake();
  }

  /** Stops claiming and waits for the attempts in flight. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#poller.stop();
    const drained = Promise.allSettled([...this.#running.values()]);
    // After the time limit, an attempt can only be waiting for the database. It is aborted, and claimed again later.
    const timer = setTimeout(() => this.#stopping.abort(), this.#deps.schedule.timeLimitMs + 5_000);
    await drained;
    clearTimeout(timer);
  }

  reserve({ id, accountId, bytes }: { id: string; accountId: string; bytes: number }): Place | null {
    const { attempts, leases, permits, paused, holdsLock } = this.#deps;
    if (this.#stopped || paused() || !holdsLock() || this.#backlog.isBehind(accountId)) return null;
    const isAlone = this.#isAlone();
    const beside = isAlone || permits.only ? this.#placeBeside() : null;
    if (beside) return beside;
    if (permits.only) return null;
    const full = this.#inFlight >= maxInFlight || this.#handedBytes + bytes > maxHandedBytes;
    if (full || this.#lines.of(accountId) >= longestLine) {
      this.#backlog.fellBehind(accountId);
      return null;
    }
    const permit = isAlone && permits.free() > 0 ? permits.take(id) : null;
    const direct = permit === null;
    const taken =
      direct && this.#lines.of(accountId) === 0 ? attempts.gate.enterDirect(accountId, performance.now()) : null;
    const turn = taken && 'leave' in taken ? taken : null;
    const hold = leases.hold(id);
    this.#reserved++;
    this.#handedBytes += bytes;
    const leave = () => {
      this.#reserved--;
      this.#handedBytes -= bytes;
    };
    const giveUp = () => {
      leave();
      permit?.release();
      turn?.leave();
    };
    const claim = { eventId: id, accountId, generation: 0, direct };
    return {
      direct,
      token: leases.token,
      take: (event) => {
        const begin = (turn: Turn | null) => {
          leave();
          this.#begin(claim, { turn, permit, hold, event });
        };
        if (turn || permit) return begin(turn);
        this.#line(accountId, begin);
      },
      cancel: () => {
        giveUp();
        hold.release();
      },
      abandon: () => {
        giveUp();
        hold.abandon();
      },
    };
  }

  /** Whether no other event has arrived for a while. */
  #isAlone(): boolean {
    const nowMs = performance.now();
    const isAlone = nowMs - this.#arrivedMs >= silenceMs;
    this.#arrivedMs = nowMs;
    return isAlone;
  }

  /** A place in the worker process beside this one; null if it has none. */
  #placeBeside(): Place | null {
    const { workerBeside: side } = this.#deps;
    if (!side || side.free() <= 0) return null;
    this.#rate.count();
    return {
      direct: false,
      token: side.token,
      take: (event) => side.take(event),
      cancel: () => undefined,
      abandon: () => side.doubt(),
    };
  }

  /** Lets the workflow of an event make the attempt that another process has accepted. */
  takeForWorkflow(event: StoredEvent): void {
    const { leases, permits } = this.#deps;
    const { eventId } = event;
    const claim = { eventId, accountId: event.account.id, generation: 0, direct: false };
    this.#begin(claim, { turn: null, permit: permits.take(eventId), hold: leases.hold(eventId), event });
  }

  #line(accountId: string, begin: (turn: Turn) => void): void {
    this.#lines.join(accountId, begin);
    this.#advance(accountId);
  }

  /** Gives the free turns of an account to the events in its line. */
  #advance(accountId: string): void {
    if (this.#stopped) return;
    while (this.#lines.of(accountId) > 0) {
      const turn = this.#deps.attempts.gate.enterDirect(accountId, performance.now());
      if ('waitMs' in turn) break;
      this.#lines.next(accountId)?.(turn);
    }
    if (this.#roomAsked.length > 0 && !this.#isCrowded(accountId)) for (const go of this.#roomAsked.splice(0)) go();
  }

  async room(accountIds: readonly string[]): Promise<void> {
    if (!accountIds.some((id) => this.#isCrowded(id))) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, longestRoomMs);
      this.#roomAsked.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #isCrowded(accountId: string): boolean {
    return this.#lines.of(accountId) >= crowdedLine && this.#deps.attempts.gate.meanMs(accountId) < quickMs;
  }

  queued(accountId: string): void {
    this.wake(accountId);
  }

  get #inFlight(): number {
    return this.#running.size + this.#reserved;
  }

  async #round(): Promise<Round> {
    const { sql, leases, permits, paused, holdsLock } = this.#deps;
    if (paused() || !holdsLock()) return 'idle';
    const permitted = permits.free();
    const limit = Math.min(maxInFlight - this.#inFlight, maxClaim, permits.only ? permitted : maxClaim);
    if (limit <= 0 || (permits.only && permitted < permits.size / 4)) return 'idle';
    if (this.#running.size > crowd) await sleep(Math.max(0, this.#claimedAtMs + crowdPauseMs - performance.now()));
    const backlog = this.#backlog;
    const beganMs = performance.now();
    const room = this.#room(beganMs);
    const turns = backlog.turns((id) => (room.of.get(id) ?? room.others) > 0, beganMs);
    if (turns === null) return 'idle';
    this.#claimedAtMs = beganMs;
    const began = backlog.notices;
    const round = await leases.claim(() =>
      claimForAttempt(sql, {
        ...{ turns, room, limit },
        token: leases.token,
        leaseS: leases.leaseS,
        permits: permitted,
        scope: this.#deps.scope,
      }),
    );
    const { claimed } = round;
    backlog.learn(turns, round, { began, full: claimed.length >= limit, beganMs });
    // Oldest first, because the oldest events should get the free turns of their account.
    for (const claim of claimed.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1))) {
      const { accountId, hold } = claim;
      if (claim.direct) this.#line(accountId, (turn) => this.#begin(claim, { turn, permit: null, hold, event: null }));
      else this.#begin(claim, { turn: null, permit: permits.take(claim.eventId), hold, event: null });
    }
    return claimed.length > 0 || round.next !== null ? 'more' : 'idle';
  }

  /**
   * How many events of each account can be claimed: for its free turns, and if the consumer is quick, for a line that
   * keeps them in use. Events of a slow consumer are left to other processes, which have turns of their own.
   */
  #room(nowMs: number): { of: Map<string, number>; others: number } {
    const { gate } = this.#deps.attempts;
    const of = new Map<string, number>();
    for (const [id, used] of gate.busy(nowMs)) {
      const line = gate.meanMs(id) < quickMs ? claimedLine : 0;
      of.set(id, Math.max(0, gate.limit - used + line - this.#lines.of(id)));
    }
    return { of, others: gate.limit };
  }

  #begin(claim: Claimed, way: Way): void {
    const { eventId } = claim;
    const { turn, permit, hold, event } = way;
    this.#rate.count();
    // The event may be claimed again during its attempt: after a replay, or because the lease expired while the
    // database was unavailable. The new claim waits for the attempt in flight.
    const run = Promise.resolve(this.#running.get(eventId))
      .then(() => (permit ? this.#byWorkflow(claim, permit, event) : this.#direct(claim, turn, event)))
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

  async #direct({ eventId, generation }: Claimed, turn: Turn | null, event: StoredEvent | null): Promise<void> {
    const { attempts, schedule, writes, leases, onMoved, holdsLock, paused } = this.#deps;
    const { token } = leases;
    // Workflows took the last turns during the claim. The event is handed back and claimed first when a turn is free.
    if (turn === null || 'waitMs' in turn) return await writes.handBack({ eventId, generation, token, delayS: 0 });
    if (!holdsLock() || paused()) {
      turn.leave();
      return await writes.handBack({ eventId, generation, token, delayS: 0 });
    }
    const { result, recorded } = await attempts
      .attempt(
        { eventId, generation, trigger: 'schedule', number: 1, schedule },
        { claimToken: token, signal: this.#stopping.signal, event, turn },
      )
      .finally(() => turn.leave());
    // Recording an attempt also sets the event's lane. If nothing was recorded, the lane is set by the event's row.
    if (!recorded)
      await writes.handBack({ eventId, generation, token, delayS: result.kind === 'wait' ? heldDelayS : 0 });
    onMoved(result.kind === 'failed' || result.kind === 'wait');
  }

  async #byWorkflow(claim: Claimed, permit: Permit, event: StoredEvent | null): Promise<void> {
    const { attempts, permits, writes, leases, sql, log } = this.#deps;
    const { eventId, accountId, generation } = claim;
    const { token } = leases;
    const forget = event ? attempts.expect(event) : () => undefined;
    void permit.begun.then(forget);
    let started: Started;
    try {
      started = await ensureWorkflow(this.#deps, claim, event);
    } catch (error) {
      permit.release();
      if (!(error instanceof EngineUnavailable)) log.error({ err: error, eventId }, 'workflow not started');
      if (permits.only) return await writes.handBack({ eventId, generation, token, delayS: downDelayS });
      // It is not known whether the workflow was started. If it was, its attempt waits while the claim is direct.
      if (await takeOverAttempt(sql, { eventId, generation, token }))
        await this.#direct(claim, attempts.gate.enterDirect(accountId, performance.now()), null);
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
