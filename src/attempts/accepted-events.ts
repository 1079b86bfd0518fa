import { type AttemptOwner, type AttemptSlots, accountShare } from '../delivery/attempt-slots.ts';
import type { Slot } from '../delivery/slots.ts';
import type { AttemptRow } from '../events/attempt-row.ts';
import type { HandOver, Place } from '../events/hand-over.ts';
import type { HeldClaims, Hold } from '../processes/held-claims.ts';
import type { Backlog } from './backlog.ts';
import type { ClaimedAttempt } from './claim.ts';
import type { ConsumerLines } from './consumer-lines.ts';

/** Events of one consumer that wait in memory for a slot. More wait in the queue, where other processes find them. */
const longestLine = 256;
/** The most bytes of bodies that were handed over and whose attempts have not ended. */
const maxBytes = 64 * 1024 * 1024;
/** The last places and bytes are for accounts of which few events wait, so that slow consumers leave the others room. */
const reservedPlaces = 256;
const reservedBytes = maxBytes / 4;
const shortLine = 16;

/** What the first attempt of a claimed event begins with. */
export interface Begun {
  slot: Slot;
  /** The event, if it was handed over. Otherwise, it is read. */
  event: AttemptRow | null;
}

export interface AcceptedEventsDeps {
  slots: AttemptSlots;
  claims: HeldClaims;
  backlog: Backlog;
  lines: ConsumerLines;
  /** Whether events are taken over at this time. */
  isOpen(): boolean;
  /** How many more events this process can keep in memory. */
  free(): number;
  /** Begins the first attempt of an event; resolves when it has ended. */
  begin(claim: ClaimedAttempt, hold: Hold, begun: Begun): Promise<void>;
  /** Called when an event of this consumer waits in the queue. */
  queued(consumerId: string): void;
}

/** Takes over the events that this process has accepted, and gives them to the relay after their commit. */
export class AcceptedEvents implements HandOver {
  readonly #deps: AcceptedEventsDeps;
  /** Places of events that are being stored. */
  #reserved = 0;
  /** Those of them without a slot, by account. A batch may bring an account more than a short line. */
  readonly #joining = new Map<string, number>();
  #bytes = 0;
  #whenSettled: (() => void) | null = null;

  constructor(deps: AcceptedEventsDeps) {
    this.#deps = deps;
  }

  /** Events that are being stored and will be handed over. */
  get reserved(): number {
    return this.#reserved;
  }

  /** Resolves when no event is being stored any more. Call it when none is reserved from now on. */
  settled(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#reserved === 0) resolve();
    else this.#whenSettled = resolve;
    return promise;
  }

  reserve(event: AttemptOwner & { id: string; bytes: number }): Place | null {
    const { backlog, claims, lines, isOpen, free } = this.#deps;
    const { consumerId, accountId, bytes } = event;
    // An event of a held consumer would only be read, decided about, and put into the queue.
    if (!isOpen() || backlog.isBehind(consumerId) || backlog.isHeld(consumerId)) return null;
    const line = lines.of(consumerId);
    const joining = this.#joining.get(accountId) ?? 0;
    const isLong = line + joining >= shortLine || lines.ofAccount(accountId) + joining >= shortLine * accountShare;
    const [places, most] = isLong ? [reservedPlaces, maxBytes - reservedBytes] : [0, maxBytes];
    if (claims.isSettling || free() <= places || this.#bytes + bytes > most || line >= longestLine) {
      backlog.fellBehind(consumerId);
      return null;
    }
    return this.#place(event);
  }

  room(consumerIds: readonly string[]): Promise<void> {
    return this.#deps.lines.untilShorter(consumerIds);
  }

  queued(consumerId: string): void {
    if (!this.#deps.backlog.isHeld(consumerId)) this.#deps.queued(consumerId);
  }

  #joins(accountId: string, change: 1 | -1): void {
    const joining = (this.#joining.get(accountId) ?? 0) + change;
    if (joining === 0) this.#joining.delete(accountId);
    else this.#joining.set(accountId, joining);
  }

  #place({ id: eventId, consumerId, accountId, bytes }: AttemptOwner & { id: string; bytes: number }): Place {
    const { slots, claims, lines, begin } = this.#deps;
    const taken = lines.of(consumerId) === 0 ? slots.acquireDirect({ consumerId, accountId }, performance.now()) : null;
    const slot = taken && 'release' in taken ? taken : null;
    const hold = claims.hold(eventId);
    const claim = { eventId, consumerId, accountId, generation: 0 };
    this.#reserved++;
    if (!slot) this.#joins(accountId, 1);
    this.#bytes += bytes;
    let hasLeft = false;
    const leave = () => {
      // After an error in a batch, the places of its stored events are abandoned, too.
      if (hasLeft) return;
      hasLeft = true;
      this.#reserved--;
      if (!slot) this.#joins(accountId, -1);
      if (this.#reserved === 0) this.#whenSettled?.();
    };
    const giveUp = () => {
      leave();
      this.#bytes -= bytes;
      slot?.release();
    };
    return {
      token: claims.token,
      take: (event) => {
        const go = (own: Slot) =>
          void begin(claim, hold, { slot: own, event }).finally(() => {
            this.#bytes -= bytes;
          });
        if (slot) go(slot);
        else lines.join({ consumerId, accountId }, go);
        leave();
      },
      cancel: () => {
        giveUp();
        hold.release();
      },
      abandon: () => {
        giveUp();
        hold.abandon();
      },
    };
  }
}
