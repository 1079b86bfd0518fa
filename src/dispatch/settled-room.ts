import { availableParallelism } from 'node:os';

/** Starts in flight. With more, Temporal on two cores becomes slower. */
const most = 32;
/**
 * Starts in flight while many first attempts are made. A few keep Temporal busy; more would occupy all cores for moments,
 * in which webhooks wait. With 6 on two cores, p99 of the acknowledgements at 100/s was 10 to 15 ms, with 32 15 to 28 ms, and
 * a tenth fewer workflows were started.
 */
const mostBeside = Math.min(most, 3 * availableParallelism());
/** While the machine has nothing idle, one start per interval keeps the queue moving. */
const trickleMs = 1_000;
/** Claims are at least this far apart, so that each takes several events. Each costs a statement. */
const paceMs = 25;
/** How often the number of starts is adjusted to the idle processor time. */
const adjustMs = 250;
/** Above this idle share, one more start may be in flight; below the other, half as many. */
const plenty = 0.2;
const scarce = 0.1;

export interface SettledRoomDeps {
  /** Whether many first attempts are being made. */
  attemptsBusy(): boolean;
  /** The share of the machine's processor time that is idle, 0 to 1. */
  idleShare(): number;
}

/**
 * Says how many workflows of settled events may be started now. These starts only make events visible in Temporal, so
 * while many first attempts are made, they use what the machine leaves idle.
 */
export class SettledRoom {
  readonly #deps: SettledRoomDeps;
  #allowed = 0;
  #adjustedAtMs = Number.NEGATIVE_INFINITY;
  #nextAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SettledRoomDeps) {
    this.#deps = deps;
  }

  /** After this time, `limit` may be higher. */
  readonly againMs = paceMs;

  /** The most starts that may be in flight now; 0: no more are to be claimed yet. */
  limit(): number {
    if (!this.#deps.attemptsBusy()) return most;
    const nowMs = performance.now();
    this.#adjust(nowMs);
    if (nowMs < this.#nextAtMs) return 0;
    this.#nextAtMs = nowMs + (this.#allowed > 0 ? paceMs : trickleMs);
    return Math.max(1, this.#allowed);
  }

  #adjust(nowMs: number): void {
    if (nowMs - this.#adjustedAtMs < adjustMs) return;
    this.#adjustedAtMs = nowMs;
    const idle = this.#deps.idleShare();
    if (idle > plenty) this.#allowed = Math.min(mostBeside, this.#allowed + 1);
    else if (idle < scarce) this.#allowed = Math.floor(this.#allowed / 2);
  }
}
