import { cpus } from 'node:os';

/** How often the idle time is measured. Shorter windows vary too much: the clock of `cpus` has a resolution of 10 ms. */
const windowMs = 200;
/** More starts at the same time while more of the processors is idle than this, … */
const roomyShare = 0.25;
/** … and fewer while less is. The rest absorbs bursts of webhooks. */
const crampedShare = 0.12;
/** While webhooks arrive, this many starts more per window. So a load that has just ended does not meet a burst of starts. */
const step = 2;

/** Returns the idle share of the machine's processors since the last call, 0 to 1. */
export function idleShareOfMachine(): () => number {
  let before = times();
  return () => {
    const now = times();
    const [idle, all] = [now.idle - before.idle, now.all - before.all];
    before = now;
    return all <= 0 ? 0 : idle / all;
  };
}

function times(): { idle: number; all: number } {
  let [idle, all] = [0, 0];
  for (const { times: of } of cpus()) {
    idle += of.idle;
    all += of.idle + of.user + of.nice + of.sys + of.irq;
  }
  return { idle, all };
}

/**
 * How many workflows of settled events may be started at the same time: what the machine leaves idle while first attempts
 * are made, else as many as Temporal can process.
 */
export class StartPace {
  readonly #most: number;
  readonly #idleShare: () => number;
  #allowed = 0;
  #measuredMs = Number.NEGATIVE_INFINITY;

  constructor(options: { most: number; idleShare?: () => number }) {
    this.#most = options.most;
    this.#idleShare = options.idleShare ?? idleShareOfMachine();
  }

  /** @param attempting whether first attempts are made at this time. */
  allowed(attempting: boolean, nowMs: number): number {
    if (nowMs >= this.#measuredMs + windowMs) {
      this.#measuredMs = nowMs;
      const idle = this.#idleShare();
      if (idle < crampedShare) this.#allowed = Math.floor(this.#allowed / 2);
      else if (idle > roomyShare) this.#allowed = Math.min(this.#most, this.#allowed + step);
    }
    return attempting ? this.#allowed : this.#most;
  }
}
