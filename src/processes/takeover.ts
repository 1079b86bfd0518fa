import type { Sql } from '../database/sql.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';
import {
  beginningOf,
  endLeasesExcept,
  endLeasesOfDead,
  lockOwner,
  ownersAlive,
  tokensOfLeases,
} from './claim-owners.ts';
import type { Leases } from './leases.ts';
import type { SessionUser } from './listener.ts';

/**
 * How long a token must be without its lock before its leases are ended. A living process whose session broke gets its
 * lock again within this time: it tries to connect twice a second, for at most 2 s (listener.ts), also while many
 * processes connect to a server that was restarted. Leaves half of the 10 s within which events are delivered.
 */
const graceMs = 4_000;
const lookMs = 1_000;
/**
 * How long leases are read after a process died. PostgreSQL may still commit a claim that the process had sent: a
 * statement ends after 9 s (src/database/database.ts).
 */
const watchMs = 10_000;

export interface TakeoverDeps {
  leases: Leases;
  /** Whether this process makes first attempts, which its lock then tells. */
  makesFirstAttempts: boolean;
  log: Log;
  /** Called when this process got its lock, and when leases were ended, so that their events can be claimed. */
  onClaimable(): void;
  /** Shorter in tests. */
  graceMs?: number;
  lookMs?: number;
}

/**
 * Ends the leases of processes that are gone, so that their claims do not wait until the leases end by themselves
 * (docs/decisions/queue-table.md). Holds the lock that tells other processes that this one is alive, on a session of
 * its own, and looks once a second which locks the others hold.
 */
export class Takeover implements SessionUser {
  readonly #deps: TakeoverDeps;
  readonly #graceMs: number;
  readonly #poller: Poller;
  /** The session; null while there is none, or it does not hold the lock yet. */
  #sql: Sql | null = null;
  /** The last session that was opened; null when it was lost. */
  #opening: Sql | null = null;
  /** Whether the session is not the first one of this process. */
  #reopened = false;
  #holdsLock = false;
  /** The owners that the last look of this session saw alive; null before the first look. */
  #alive: Set<string> | null = null;
  /** Until when each look reads the leases, by the monotonic clock. */
  #watchUntilMs = 0;
  /** Tokens of leases without their lock, and when this session first saw them so, by the monotonic clock. */
  readonly #missingSinceMs = new Map<string, number>();

  constructor(deps: TakeoverDeps) {
    this.#deps = deps;
    this.#graceMs = deps.graceMs ?? graceMs;
    this.#poller = new Poller({
      name: 'takeover of claims',
      idleMs: deps.lookMs ?? lookMs,
      log: deps.log,
      work: () => this.#round(),
    });
  }

  /**
   * Whether this process holds the lock of its token. While it does not, it must neither claim events nor begin
   * attempts, because other processes may take over its claims.
   */
  get holdsLock(): boolean {
    return this.#holdsLock;
  }

  start(): void {
    this.#poller.start();
  }

  async opened(sql: Sql): Promise<void> {
    const { leases, makesFirstAttempts, onClaimable } = this.#deps;
    this.#opening = sql;
    await lockOwner(sql, leases.token, { makesFirstAttempts });
    // Leases may have run down while the database was unavailable.
    await leases.renew(sql);
    if (this.#opening !== sql) return;
    this.#sql = sql;
    this.#holdsLock = true;
    // Claims whose answer was lost with the connections are only found from now on.
    if (this.#reopened) leases.doubt();
    this.#reopened = true;
    onClaimable();
    this.#poller.wake();
  }

  lost(): void {
    this.#opening = null;
    this.#sql = null;
    this.#holdsLock = false;
    // The database may have restarted, which ended the sessions of all processes. Each gets the whole grace again.
    this.#alive = null;
    this.#missingSinceMs.clear();
  }

  /** Call it when no work is in flight any more, and before the session ends: ends all leases of this process. */
  async stop(): Promise<void> {
    await this.#poller.stop();
    const { leases, log } = this.#deps;
    if (!this.#sql) return;
    await endLeasesExcept(this.#sql, leases.token, []).catch((error: unknown) => {
      log.warn({ err: error }, 'claims not released, other processes take them over');
    });
  }

  /** A pooler that is not in session mode may replace the server's session, and the lock is lost with it. */
  async #lockAgain(sql: Sql): Promise<void> {
    const { leases, makesFirstAttempts, log } = this.#deps;
    log.warn({}, 'lock of this process lost: DATABASE_URL must lead to PostgreSQL or to a pooler in session mode');
    this.#holdsLock = false;
    await lockOwner(sql, leases.token, { makesFirstAttempts });
    if (this.#sql === sql) this.#holdsLock = true;
  }

  async #round(): Promise<'idle'> {
    const sql = this.#sql;
    if (!sql) return 'idle';
    const { log, onClaimable } = this.#deps;
    try {
      const ended = (await this.#endOwn(sql)) + (await this.#endOfDead(sql));
      if (ended > 0) onClaimable();
    } catch (error) {
      // The session reconnects by itself and logs why.
      log.debug({ err: error }, 'look for dead processes failed');
    }
    return 'idle';
  }

  /** Ends the leases of claims that were made for this process, but that it does not know. */
  async #endOwn(sql: Sql): Promise<number> {
    const { leases, log } = this.#deps;
    if (!leases.inDoubt) return 0;
    let ended = 0;
    await leases.settle(async (held) => {
      ended = await endLeasesExcept(sql, leases.token, held);
    });
    if (ended > 0) log.info({ claims: ended }, 'claims whose answer was lost are released');
    return ended;
  }

  async #endOfDead(sql: Sql): Promise<number> {
    const before = this.#alive;
    const alive = await ownersAlive(sql);
    if (this.#sql !== sql) return 0;
    if (!alive.has(beginningOf(this.#deps.leases.token))) await this.#lockAgain(sql);
    this.#alive = alive;
    const nowMs = performance.now();
    const gone = before === null || [...before].some((beginning) => !alive.has(beginning));
    if (gone) this.#watchUntilMs = nowMs + watchMs;
    if (nowMs > this.#watchUntilMs && this.#missingSinceMs.size === 0) return 0;
    const missing = (await tokensOfLeases(sql)).filter((token) => !alive.has(beginningOf(token)));
    if (this.#sql !== sql) return 0;
    for (const token of this.#missingSinceMs.keys()) if (!missing.includes(token)) this.#missingSinceMs.delete(token);
    for (const token of missing) if (!this.#missingSinceMs.has(token)) this.#missingSinceMs.set(token, nowMs);
    const dead = missing.filter((token) => nowMs - (this.#missingSinceMs.get(token) ?? nowMs) >= this.#graceMs);
    if (dead.length === 0) return 0;
    const { events, commands } = await endLeasesOfDead(sql, dead);
    if (events + commands > 0) this.#deps.log.warn({ events, commands }, 'claims of a dead process are taken over');
    return events + commands;
  }
}
