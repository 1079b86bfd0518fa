import { cpus } from 'node:os';

/** A shorter period would show the moment rather than the load. */
const periodMs = 250;

/**
 * Measures which share of the machine's processor time is idle, over the last period of at least 250 ms. In a container,
 * that is the time of the whole host.
 */
export class IdleCpu {
  readonly #now: () => CpuTimes;
  #atMs = Number.NEGATIVE_INFINITY;
  #times: CpuTimes = { idle: 0, total: 0 };
  #share = 0;

  constructor(now: () => CpuTimes = timesOfAll) {
    this.#now = now;
  }

  /** The idle share, 0 to 1; 0 before the end of the first period. */
  share(): number {
    const nowMs = performance.now();
    if (nowMs - this.#atMs < periodMs) return this.#share;
    const times = this.#now();
    const total = times.total - this.#times.total;
    if (Number.isFinite(this.#atMs) && total > 0) this.#share = (times.idle - this.#times.idle) / total;
    this.#atMs = nowMs;
    this.#times = times;
    return this.#share;
  }
}

/** Milliseconds since the start of the machine, summed over its cores. */
interface CpuTimes {
  idle: number;
  total: number;
}

function timesOfAll(): CpuTimes {
  let [idle, total] = [0, 0];
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { idle, total };
}
