/** What the process that makes first attempts tells the worker process beside it. */
export interface WorkerBeside {
  /** So many first attempts are made per second now. */
  pace(perSecond: number): void;
  /** Events only need their workflow now; `pending`: some of them need more attempts. */
  moved(news: { pending: boolean }): void;
}

/** How often the pace is told, if it has changed. */
const paceMs = 200;
/** One message per interval, because with each one the worker process claims what has moved. */
const movedMs = 20;

/** Tells the worker process what happens here, without a message for every event. */
export class WorkerNews {
  readonly #worker: WorkerBeside;
  readonly #perSecond: () => number;
  #pacing: NodeJS.Timeout | undefined;
  #told = 0;
  #resting: NodeJS.Timeout | null = null;
  /** What has moved since the last message. */
  #untold: { pending: boolean } | null = null;

  /** @param perSecond the first attempts per second of this process. */
  constructor(worker: WorkerBeside, perSecond: () => number) {
    this.#worker = worker;
    this.#perSecond = perSecond;
  }

  start(): void {
    this.#pacing = setInterval(() => this.#tellPace(), paceMs);
  }

  stop(): void {
    clearInterval(this.#pacing);
    if (this.#resting) clearTimeout(this.#resting);
  }

  /** Called when an event only needs its workflow; `pending`: whether it needs more attempts. */
  moved(pending: boolean): void {
    this.#untold = { pending: pending || (this.#untold?.pending ?? false) };
    if (this.#resting === null) this.#tellMoved();
  }

  #tellMoved(): void {
    this.#resting = null;
    if (!this.#untold) return;
    this.#worker.moved(this.#untold);
    this.#untold = null;
    this.#resting = setTimeout(() => this.#tellMoved(), movedMs);
  }

  #tellPace(): void {
    const perSecond = this.#perSecond();
    if (perSecond === this.#told) return;
    this.#told = perSecond;
    this.#worker.pace(perSecond);
  }
}
