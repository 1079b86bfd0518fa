import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliverySchedule } from '../../workflows/messages.ts';
import type { Sql } from '../database/sql.ts';
import type { Attempts } from '../delivery/attempt/attempt.ts';
import { accountShare } from '../delivery/attempt-slots.ts';
import { ClaimPass } from '../events/claim-pass.ts';
import type { HandOver } from '../events/hand-over.ts';
import type { ClaimReturns } from '../processes/claim-returns.ts';
import type { Held, HeldClaims, Hold } from '../processes/held-claims.ts';
import type { Log } from '../shared/log.ts';
import { Poller, type Round } from '../shared/poller.ts';
import { detached } from '../telemetry/tracing/spans.ts';
import { AcceptedEvents, type Begun } from './accepted-events.ts';
import { Backlog } from './backlog.ts';
import { type ClaimedAttempt, claimForAttempt, claimWaitedForAttempt, type Room } from './claim.ts';
import { ConsumerLines, quickMs } from './consumer-lines.ts';

export interface FirstAttemptsDeps {
  sql: Sql;
  attempts: Attempts;
  claims: HeldClaims;
  returns: ClaimReturns;
  schedule: DeliverySchedule;
  log: Log;
  /** Whether deliveries are known to be paused. Then no claims are made. */
  paused(): boolean;
  /** Whether other processes see that this one is alive. Otherwise, nothing is claimed or attempted. */
  isAlive(): boolean;
}

/** Attempts in flight of this process over all consumers, and events that wait in memory for a slot. */
const maxInFlight = 1_024;
/** Rows per claim. Larger claims delay their first attempts and are not faster. */
const maxClaim = 128;
const idleMs = 1_000;
/** Between two looks for later attempts while a consumer that may have some has no free slot. */
const waitedPauseMs = 50;
/** A look passes the events that wait for their workflow. While these are many, looks take a twentieth of the time. */
const waitedLookShare = 20;
const longestWaitedPauseMs = 5_000;
/** With more attempts in flight than this, claims are at least 5 ms apart, so that one claim takes several events. */
const crowd = 16;
const crowdPauseMs = 5;
const heldDelayS = 0.2;
/** Events are claimed for a line up to this length, so that its consumer's slots are never without work. */
const claimedLine = 64;

/**
 * Makes first attempts: of the events that this process has accepted, and of those that wait in the queue. When none waits,
 * it also makes later ones that were due while they could not be sent.
 */
export class FirstAttempts {
  readonly #deps: FirstAttemptsDeps;
  readonly #poller: Poller;
  /** The attempts in flight, by event id. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #backlog = new Backlog();
  readonly #lines: ConsumerLines;
  readonly #accepted: AcceptedEvents;
  #stopped = false;
  #claimedAtMs = 0;
  /** Of claims of later attempts. */
  readonly #waited = new ClaimPass();
  /** The next look for later attempts. Rounds are far more frequent: each attempt that ends begins one. */
  #waitedLookMs = 0;
  #begun = 0;

  constructor(deps: FirstAttemptsDeps) {
    this.#deps = deps;
    this.#poller = new Poller({ name: 'first attempts', idleMs, log: deps.log, work: () => this.#round() });
    const { slots } = deps.attempts;
    this.#lines = new ConsumerLines(slots);
    this.#accepted = new AcceptedEvents({
      ...{ slots, claims: deps.claims, backlog: this.#backlog, lines: this.#lines },
      isOpen: () => !this.#stopped && !deps.paused() && deps.isAlive(),
      free: () => this.#free,
      begin: (claim, hold, begun) => this.#begin(claim, hold, begun),
      queued: (consumerId) => this.wake(consumerId),
    });
  }

  /** Where events go that this process accepts. */
  get handOver(): HandOver {
    return this.#accepted;
  }

  /** How many first attempts were begun. */
  get begun(): number {
    return this.#begun;
  }

  start(): void {
    this.#poller.start();
  }

  /** Looks for events in the queue: of one consumer, or of any. */
  wake(consumerId: string | null = null): void {
    this.#backlog.noticed(consumerId);
    this.#poller.wake();
  }

  /**
   * Stops claiming, and waits for the events that are being stored and for the attempts in flight. Afterwards no event is
   * claimed for this process without its knowledge, so that its claims can be ended.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#lines.stop();
    await this.#poller.stop();
    // After the time limit, an attempt can only be waiting for the database. It is aborted, and claimed again later.
    const timer = setTimeout(() => this.#stopping.abort(), this.#deps.schedule.timeLimitMs + 5_000);
    await this.#accepted.settled();
    await Promise.allSettled([...this.#running.values()]);
    clearTimeout(timer);
  }

  /** How many more events this process takes. */
  get #free(): number {
    return maxInFlight - this.#running.size - this.#lines.size - this.#accepted.reserved;
  }

  async #round(): Promise<Round> {
    const { sql, claims, paused, isAlive } = this.#deps;
    if (paused() || !isAlive()) return 'idle';
    const limit = Math.min(this.#free, maxClaim);
    if (limit <= 0) return 'idle';
    if (this.#running.size > crowd) await sleep(Math.max(0, this.#claimedAtMs + crowdPauseMs - performance.now()));
    const backlog = this.#backlog;
    const beganMs = performance.now();
    const room = this.#room(beganMs);
    const scope = backlog.scope((id) => (room.of.get(id) ?? room.others) > 0, beganMs);
    if (scope === null) return this.#waitedRound(room, limit);
    this.#claimedAtMs = beganMs;
    const began = backlog.notices;
    const claim = { scope, room, limit, token: claims.token };
    const round = await claims.claim(() => claimForAttempt(sql, claim));
    const { claimed } = round;
    backlog.learn(scope, round, { began, full: claimed.length >= limit, beganMs });
    this.#join(claimed);
    return claimed.length > 0 || round.next !== null ? 'more' : this.#waitedRound(room, limit);
  }

  async #waitedRound(room: Room, limit: number): Promise<Round> {
    if (performance.now() < this.#waitedLookMs) return 'idle';
    const { sql, claims } = this.#deps;
    const beganMs = performance.now();
    const claim = { room, limit, token: claims.token, after: this.#waited.after };
    const { claimed, visited, next } = await claims.claim(() => claimWaitedForAttempt(sql, claim));
    const more = this.#waited.goOn({ claimed: claimed.length, next });
    const isFull = visited.some(({ most }) => most === 0);
    if (claimed.length === 0 && !more) {
      const nowMs = performance.now();
      const leastMs = Math.min(longestWaitedPauseMs, (nowMs - beganMs) * waitedLookShare);
      this.#waitedLookMs = nowMs + Math.max(isFull ? waitedPauseMs : idleMs, leastMs);
    }
    this.#join(claimed);
    return claimed.length > 0 || more ? 'more' : 'idle';
  }

  /** Oldest first, because the oldest events should get the free slots of their consumer. */
  #join(claimed: readonly Held<ClaimedAttempt>[]): void {
    for (const claim of claimed.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1)))
      this.#lines.join(claim, (slot) => void this.#begin(claim, claim.hold, { slot, event: null }));
  }

  /**
   * How many events of each consumer can be claimed: for its free slots, and if the consumer is quick, for a line that
   * keeps them in use. Events of a slow consumer are left to other processes, which have slots of their own.
   */
  #room(nowMs: number): Room {
    const { slots } = this.#deps.attempts;
    const of = new Map<string, number>();
    for (const [id, free] of slots.free(nowMs)) {
      // All consumers of an account together claim as many as `accountShare` of them.
      const share = Math.ceil((claimedLine * accountShare) / Math.max(accountShare, free.consumers));
      const line = slots.meanMs(id) < quickMs ? share : 0;
      of.set(id, Math.max(0, free.slots + line - this.#lines.of(id)));
    }
    return { of, others: slots.limit };
  }

  #begin(claim: ClaimedAttempt, hold: Hold, begun: Begun): Promise<void> {
    const { eventId } = claim;
    this.#begun++;
    // The event may be claimed again during its attempt: after a replay, or because another process has
    // ended the claim. The new claim waits for the attempt in flight.
    const run = detached(() => Promise.resolve(this.#running.get(eventId)).then(() => this.#attempt(claim, begun)))
      .then(hold.release, (error: unknown) => {
        hold.abandon();
        this.#deps.log.warn({ err: error, eventId }, 'first attempt not completed, its event is claimed again');
      })
      .finally(() => {
        if (this.#running.get(eventId) === run) this.#running.delete(eventId);
        this.#poller.wake();
      });
    this.#running.set(eventId, run);
    return run;
  }

  async #attempt({ eventId, generation, consumerId }: ClaimedAttempt, { slot, event }: Begun): Promise<void> {
    const { attempts, schedule, returns, claims, isAlive, paused } = this.#deps;
    const { token } = claims;
    if (!isAlive() || paused()) {
      slot.release();
      return await returns.handBack({ eventId, generation, token, delayS: 0 });
    }
    const { result, recorded } = await attempts
      .attempt(
        { eventId, generation, trigger: 'schedule', number: null, schedule },
        { claimToken: token, signal: this.#stopping.signal, event, slot },
      )
      .finally(() => slot.release());
    if (result.kind === 'stopped' && result.waitsFor) this.#backlog.mayNotSend(consumerId);
    // Recording an attempt also sets the event's lane. If nothing was recorded, the lane is set by the event's row.
    if (!recorded)
      await returns.handBack({ eventId, generation, token, delayS: result.kind === 'wait' ? heldDelayS : 0 });
  }
}
