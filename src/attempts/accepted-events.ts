import type { Slot, Slots } from '../delivery/slots.ts';
import type { AttemptRow } from '../events/attempt-row.ts';
import type { HandOver, Place } from '../events/hand-over.ts';
import type { Claimed } from '../events/queue.ts';
import type { HeldClaims, Hold } from '../processes/held-claims.ts';
import type { AccountLines } from './account-lines.ts';
import type { Backlog } from './backlog.ts';

/** Events of one account that wait in memory for a slot. More wait in the queue, where other processes find them. */
const longestLine = 256;
/** The last places in memory are for accounts that few events wait for, so that slow consumers leave the others room. */
const reservedPlaces = 256;
const shortLine = 16;
/** The most bytes of bodies that were handed over and whose attempts have not ended. */
const maxBytes = 64 * 1024 * 1024;

/** What the first attempt of a claimed event begins with. */
export interface Begun {
  slot: Slot;
  /** The event, if it was handed over. Otherwise, it is read. */
  event: AttemptRow | null;
}

export interface AcceptedEventsDeps {
  slots: Slots;
  claims: HeldClaims;
  backlog: Backlog;
  lines: AccountLines;
  /** Whether events are taken over at this time. */
  isOpen(): boolean;
  /** How many more events this process can keep in memory. */
  free(): number;
  /** Begins the first attempt of an event; resolves when it has ended. */
  begin(claim: Claimed, hold: Hold, begun: Begun): Promise<void>;
  /** Called when an event of this account waits in the queue. */
  queued(accountId: string): void;
}

/** Takes over the events that this process has accepted, and gives them to the relay after their commit. */
export class AcceptedEvents implements HandOver {
  readonly #deps: AcceptedEventsDeps;
  /** Places of events that are being stored. */
  #reserved = 0;
  #bytes = 0;

  constructor(deps: AcceptedEventsDeps) {
    this.#deps = deps;
  }

  /** Events that are being stored and will be handed over. */
  get reserved(): number {
    return this.#reserved;
  }

  reserve(event: { id: string; accountId: string; bytes: number }): Place | null {
    const { backlog, lines, isOpen, free } = this.#deps;
    const { accountId, bytes } = event;
    if (!isOpen() || backlog.isBehind(accountId)) return null;
    const line = lines.of(accountId);
    const kept = line >= shortLine ? reservedPlaces : 0;
    if (free() <= kept || this.#bytes + bytes > maxBytes || line >= longestLine) {
      backlog.fellBehind(accountId);
      return null;
    }
    return this.#place(event);
  }

  room(accountIds: readonly string[]): Promise<void> {
    return this.#deps.lines.untilShorter(accountIds);
  }

  queued(accountId: string): void {
    this.#deps.queued(accountId);
  }

  #place({ id: eventId, accountId, bytes }: { id: string; accountId: string; bytes: number }): Place {
    const { slots, claims, lines, begin } = this.#deps;
    const taken = lines.of(accountId) === 0 ? slots.acquireDirect(accountId, performance.now()) : null;
    const slot = taken && 'release' in taken ? taken : null;
    const hold = claims.hold(eventId);
    const claim = { eventId, accountId, generation: 0 };
    this.#reserved++;
    this.#bytes += bytes;
    const giveUp = () => {
      this.#reserved--;
      this.#bytes -= bytes;
      slot?.release();
    };
    return {
      token: claims.token,
      take: (event) => {
        this.#reserved--;
        const go = (own: Slot) =>
          void begin(claim, hold, { slot: own, event }).finally(() => {
            this.#bytes -= bytes;
          });
        if (slot) go(slot);
        else lines.join(accountId, go);
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
