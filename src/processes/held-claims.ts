import { randomUUID } from 'node:crypto';
import type { Claimed } from '../events/queue.ts';

/** How long a claim that could not be ended waits before it is claimed again, so that failures do not repeat at once. */
const abandonedMs = 1_000;
/** A claim that failed may still be committed within this time: statements end after 9 s (src/database/database.ts). */
const doubtMs = 10_000;

/** A claim that this process is working on, until one of the two is called. */
export interface Hold {
  /** The claim was ended in the database. */
  release(): void;
  /** The claim could not be ended. It is ended soon, so that the event is claimed again. */
  abandon(): void;
}

/** A claimed event that this process is working on. */
export type Held<Event extends Claimed = Claimed> = Event & { hold: Hold };

/** Knows which claims this process is working on, and whether there may be others. */
export class HeldClaims {
  /** One token per process, so that re-claiming an event that it is still working on is harmless. */
  readonly token = randomUUID();
  readonly #held = new Set<{ eventId: string }>();
  /** Claims in flight. */
  readonly #claiming = new Set<Promise<unknown>>();
  /** Set while claims must wait. */
  #settling: Promise<unknown> | null = null;
  #doubtUntilMs = 0;

  /** Whether rows may be claimed for this process without its knowledge, because the answer of a claim was lost. */
  get inDoubt(): boolean {
    return performance.now() < this.#doubtUntilMs;
  }

  /** Whether claims of events that this process does not hold are being ended. One that it holds from now on may be among them. */
  get isSettling(): boolean {
    return this.#settling !== null;
  }

  /** Makes a claim, and holds the claimed events. */
  async claim<Event extends Claimed, Answer extends { claimed: Event[] }>(
    work: () => Promise<Answer & { claimed: Event[] }>,
  ): Promise<Omit<Answer, 'claimed'> & { claimed: Held<Event>[] }> {
    while (this.#settling) await this.#settling.catch(() => undefined);
    const claim = work().then(
      (answer) => ({
        ...answer,
        claimed: answer.claimed.map((event) => ({ ...event, hold: this.hold(event.eventId) })),
      }),
      (error: unknown) => {
        this.doubt();
        throw error;
      },
    );
    this.#claiming.add(claim);
    return claim.finally(() => this.#claiming.delete(claim));
  }

  /**
   * Runs `work` with the ids of all events that this process holds, while no claim is in flight.
   *
   * @param work ends the claims of other events.
   */
  async settle(work: (held: string[]) => Promise<void>): Promise<void> {
    const held = () => [...this.#held].map(({ eventId }) => eventId);
    const settled = Promise.allSettled([...this.#claiming]).then(() => work(held()));
    this.#settling = settled;
    await settled.finally(() => {
      this.#settling = null;
    });
  }

  /** Counts an event as held until its claim is released or abandoned. */
  hold(eventId: string): Hold {
    const held = { eventId };
    this.#held.add(held);
    return {
      release: () => void this.#held.delete(held),
      abandon: () => {
        setTimeout(() => {
          this.#held.delete(held);
          this.doubt();
        }, abandonedMs).unref();
      },
    };
  }

  /** Called when rows may be claimed for this process without its knowledge. */
  doubt(): void {
    this.#doubtUntilMs = performance.now() + doubtMs;
  }
}
