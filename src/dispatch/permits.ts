/** After this long without a word an attempt is made elsewhere, by another worker, or the engine is slow enough. */
const longestHoldMs = 10_000;

export interface Permit {
  /** Resolves when the workflow's attempt has begun, or has taken too long to. */
  begun: Promise<void>;
  release(): void;
}

export type PermitMode =
  /** Every first attempt is made by its workflow. */
  | 'workflow'
  /** None is. */
  | 'direct'
  /** A few at a time, while the engine keeps up. */
  | 'auto';

/** Starts of workflows that may be in flight when they alone make first attempts. */
const workflowOnlyPermits = 32;

/** Counts the events that wait for Temporal to make their first attempt (FIRST_ATTEMPT, FIRST_ATTEMPT_PERMITS). */
export class Permits {
  readonly #mode: PermitMode;
  readonly size: number;
  readonly #keepsUp: () => boolean;
  readonly #held = new Map<string, () => void>();

  constructor(options: { mode: PermitMode; size: number; keepsUp: () => boolean }) {
    this.#mode = options.mode;
    this.size = options.mode === 'workflow' ? workflowOnlyPermits : options.size;
    this.#keepsUp = options.keepsUp;
  }

  /** Whether there is no other way than through the workflow. */
  get only(): boolean {
    return this.#mode === 'workflow';
  }

  /** How many more events may wait for the engine now. */
  free(): number {
    if (this.#mode === 'direct' || (this.#mode === 'auto' && !this.#keepsUp())) return 0;
    return Math.max(0, this.size - this.#held.size);
  }

  take(eventId: string): Permit {
    const { promise, resolve } = Promise.withResolvers<void>();
    const release = () => {
      clearTimeout(timer);
      if (this.#held.get(eventId) === release) this.#held.delete(eventId);
      resolve();
    };
    const timer = setTimeout(release, longestHoldMs);
    this.#held.set(eventId, release);
    return { begun: promise, release };
  }

  /** The workflow of this event is making its attempt. */
  began(eventId: string): void {
    this.#held.get(eventId)?.();
  }

  /** Lets everybody go, as the process ends. */
  close(): void {
    for (const release of [...this.#held.values()]) release();
  }
}
