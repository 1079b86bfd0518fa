import type { Sql } from '../database/sql.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';
import type { HeldClaims } from './held-claims.ts';
import { queryLimitMs, type SessionUser } from './listener.ts';
import {
  aliveS,
  beat,
  beatS,
  endClaimsExcept,
  endClaimsOfDead,
  endClaimsOfUnknown,
  leaveProcesses,
  noOthers,
  type ProcessInfo,
  thisProcess,
} from './process-rows.ts';

const beatMs = beatS * 1000;
const aliveMs = aliveS * 1000;
/** How often the claims of this process are compared with what it works on, also when no answer was lost. */
const compareMs = 10_000;

export interface HeartbeatDeps {
  claims: HeldClaims;
  role: ProcessInfo['role'];
  makesFirstAttempts: boolean;
  /** How many first attempts this process has begun since its start. */
  begun(): number;
  log: Log;
  /** Called when this process counts as alive, and when claims of others were ended, so that their events can be claimed. */
  onClaimable(): void;
  /** Shorter in tests. */
  beatMs?: number;
}

/**
 * Says once a second that this process is alive, and ends the claims of those that are not (docs/decisions/queue-table.md).
 * Uses a session of its own, so that it never waits for a connection under load.
 */
export class Heartbeat implements SessionUser {
  readonly #deps: HeartbeatDeps;
  readonly #info: ProcessInfo;
  readonly #poller: Poller;
  /** The session; null while there is none. */
  #sql: Sql | null = null;
  /** Whether the session is not the first one of this process. */
  #reopened = false;
  /** Until when the last confirmed heartbeat counts, by the monotonic clock. */
  #aliveUntilMs = Number.NEGATIVE_INFINITY;
  #others = noOthers;
  /** Until then, others may not have written their rows again, by the monotonic clock. */
  #graceUntilMs = Number.POSITIVE_INFINITY;
  /** Whether the claims of processes without a row are still to be ended. */
  #looksForUnknown = false;
  #compareAtMs = performance.now() + compareMs;
  /** The comparison in progress. */
  #comparing: Promise<void> | null = null;
  readonly #first = Promise.withResolvers<void>();
  #counted = { begun: 0, atMs: performance.now() };

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps;
    const { role, makesFirstAttempts, claims } = deps;
    this.#info = { ...thisProcess(), token: claims.token, role, makesFirstAttempts };
    this.#poller = new Poller({
      name: 'heartbeat',
      idleMs: deps.beatMs ?? beatMs,
      log: deps.log,
      work: () => this.#round(),
    });
  }

  /**
   * Whether other processes see this one alive. While they do not, it must neither claim events nor begin attempts,
   * because they may take over its claims. Measured from before the heartbeat was sent, so it ends here first.
   */
  get isAlive(): boolean {
    return performance.now() < this.#aliveUntilMs;
  }

  /** Resolves with the first heartbeat. */
  get first(): Promise<void> {
    return this.#first.promise;
  }

  /** Whether a process makes first attempts, as the last heartbeat found. */
  get firstAttemptsAreMade(): boolean {
    return this.#others.attempting > 0;
  }

  /** First attempts a second of the processes on this machine, as the last heartbeat found. */
  get firstAttemptsPerSHere(): number {
    return this.#others.perSHere;
  }

  /** Workers on this machine, as the last heartbeat found, and at least one. */
  get workersHere(): number {
    return Math.max(1, this.#others.workersHere);
  }

  start(): void {
    this.#poller.start();
  }

  async opened(sql: Sql): Promise<void> {
    const { claims, onClaimable } = this.#deps;
    await this.#beat(sql);
    this.#sql = sql;
    // Claims whose answer was lost with the connections are only found from now on.
    if (this.#reopened) claims.doubt();
    // While PostgreSQL was away, no process could write its row, and the rows may be lost. Every one that lives writes it
    // again within this time: to connect takes some of it.
    this.#graceUntilMs = performance.now() + (this.#reopened ? 2 : 1) * aliveMs;
    this.#reopened = true;
    this.#looksForUnknown = true;
    onClaimable();
    this.#poller.wake();
  }

  lost(): void {
    this.#sql = null;
  }

  /** Call it when no work is in flight any more, and before the session ends: ends all claims of this process. */
  async stop(): Promise<void> {
    await this.#poller.stop();
    await this.#comparing;
    const { claims, log } = this.#deps;
    const sql = this.#sql;
    this.#aliveUntilMs = Number.NEGATIVE_INFINITY;
    if (!sql) return;
    await endClaimsExcept(sql, claims.token, [], 'infinity')
      .then(() => leaveProcesses(sql, claims.token, claims.inDoubt))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'claims not released, other processes take them over');
      });
  }

  async #round(): Promise<'idle'> {
    const sql = this.#sql;
    if (!sql) return 'idle';
    const { log, onClaimable } = this.#deps;
    try {
      await this.#beat(sql);
      // It waits for the claims in flight, which may take seconds. Heartbeats go on.
      this.#comparing ??= this.#endOwn(sql)
        .catch((error: unknown) => log.debug({ err: error }, 'claims not compared'))
        .finally(() => {
          this.#comparing = null;
        });
      if ((await this.#endOfOthers(sql)) > 0) onClaimable();
    } catch (error) {
      // The session reconnects by itself and logs why.
      log.debug({ err: error }, 'heartbeat failed');
    }
    return 'idle';
  }

  async #beat(sql: Sql): Promise<void> {
    const sentMs = performance.now();
    const begun = this.#deps.begun();
    const perS = ((begun - this.#counted.begun) * 1000) / Math.max(1, sentMs - this.#counted.atMs);
    this.#counted = { begun, atMs: sentMs };
    this.#others = await beat(sql, this.#info, perS);
    // Where the machine, the network or the database stood still, the others were as dead as this process: they get time to
    // say so. The answer may be what was late, and the last heartbeats of the others may be older by the time between two.
    const answeredMs = performance.now();
    const lateMs = answeredMs - this.#aliveUntilMs;
    if (lateMs > 0 && Number.isFinite(lateMs))
      this.#deps.log.warn(
        { lateMs: Math.round(lateMs) },
        'heartbeat late, other processes may have taken over claims of this one',
      );
    if (answeredMs > this.#aliveUntilMs - beatMs)
      this.#graceUntilMs = Math.max(this.#graceUntilMs, answeredMs + aliveMs);
    this.#aliveUntilMs = sentMs + aliveMs;
    this.#first.resolve();
  }

  /** Ends claims that were made for this process, but that it does not know. */
  async #endOwn(sql: Sql): Promise<void> {
    const { claims, log, onClaimable } = this.#deps;
    const nowMs = performance.now();
    if (!claims.inDoubt && nowMs < this.#compareAtMs) return;
    this.#compareAtMs = nowMs + compareMs;
    let ended = 0;
    await claims.settle(async (held) => {
      // PostgreSQL may carry the statement out after the session has given it up, when this process holds other events. The
      // limit counts from the last heartbeat, which was before the statement is sent.
      const before = new Date(this.#others.at.getTime() + queryLimitMs);
      ended = await endClaimsExcept(sql, claims.token, held, before);
    });
    if (ended === 0) return;
    log.info({ claims: ended }, 'claims that this process does not know are ended');
    onClaimable();
  }

  async #endOfOthers(sql: Sql): Promise<number> {
    let total = 0;
    const end = async (work: (sql: Sql) => Promise<{ events: number; commands: number }>) => {
      const { events, commands } = await work(sql);
      total += events + commands;
      if (events + commands > 0) this.#deps.log.warn({ events, commands }, 'claims of a dead process are taken over');
    };
    if (performance.now() < this.#graceUntilMs) return 0;
    if (this.#others.dead > 0) await end(() => endClaimsOfDead(sql, this.#info.token));
    if (this.#looksForUnknown) {
      await end(endClaimsOfUnknown);
      this.#looksForUnknown = false;
    }
    return total;
  }
}
