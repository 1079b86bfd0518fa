/** When a permit ends by itself. By then another worker process makes the attempt, or Temporal is slow. */
const longestHoldMs = 10_000;

export interface Permit {
  /** Resolves when the workflow's attempt has begun, or after 10 s. */
  begun: Promise<void>;
  release(): void;
}

export type PermitMode =
  /** Workflows make all first attempts. */
  | 'workflow'
  /** The relay makes all first attempts. */
  | 'direct'
  /** Workflows make a few first attempts at a time while Temporal keeps up; the relay makes the others. */
  | 'auto';

/** The permits of the mode `workflow`: how many workflow starts may be in flight. */
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

  /** Whether only workflows may make first attempts. */
  get only(): boolean {
    return this.#mode === 'workflow';
  }

  /** How many more events may wait for Temporal now. */
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

  /** Releases the permit of an event, because its workflow has begun the attempt. */
  began(eventId: string): void {
    this.#held.get(eventId)?.();
  }

  /** Releases all permits when the process stops. */
  close(): void {
    for (const release of [...this.#held.values()]) release();
  }
}
