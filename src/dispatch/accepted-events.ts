import type { Turn, TurnGate } from '../delivery/turn-gate.ts';
import type { HandOver, Place, StoredEvent, WorkflowSide } from '../events/hand-over.ts';
import type { Claimed } from '../events/queue.ts';
import type { Backlog } from './backlog.ts';
import type { Hold, Leases } from './leases.ts';
import type { Permit, Permits } from './permits.ts';
import type { TurnLines } from './turn-lines.ts';

/** Events of one account that wait in memory for a turn. More wait in the queue, where other processes find them. */
const longestLine = 256;
/** The most bytes of bodies that were handed over and whose attempts have not ended. */
const maxBytes = 64 * 1024 * 1024;
/**
 * The first event after such a silence may wait for its workflow. Those that follow sooner may belong to a burst, in which
 * a workflow takes many times as long as an attempt.
 */
const silenceMs = 100;

/** What the first attempt of a claimed event has: its turn if the relay makes it, else its permit. */
export interface Way {
  turn: Turn | null;
  permit: Permit | null;
  hold: Hold;
  /** The event, if it was handed over. Otherwise, it is read. */
  event: StoredEvent | null;
}

export interface AcceptedEventsDeps {
  gate: TurnGate;
  leases: Leases;
  permits: Permits;
  /** The worker process beside this one, whose workflows may make first attempts; null if this process has its own. */
  workerBeside: WorkflowSide | null;
  backlog: Backlog;
  lines: TurnLines;
  /** Whether events are taken over at this time. */
  isOpen(): boolean;
  /** How many more events this process can keep in memory. */
  free(): number;
  /** Begins the first attempt of an event; resolves when it has ended. */
  begin(claim: Claimed, way: Way): Promise<void>;
  /** Called when an event of this account waits in the queue. */
  queued(accountId: string): void;
  /** Called for an event that goes to the worker beside. */
  sentBeside(): void;
}

/** Takes over the events that this process has accepted, and gives them to the relay after their commit. */
export class AcceptedEvents implements HandOver {
  readonly #deps: AcceptedEventsDeps;
  /** Places of events that are being stored. */
  #reserved = 0;
  #bytes = 0;
  #arrivedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: AcceptedEventsDeps) {
    this.#deps = deps;
  }

  get leaseS(): number {
    return this.#deps.leases.leaseS;
  }

  /** Events that are being stored and will be handed over. */
  get reserved(): number {
    return this.#reserved;
  }

  reserve({ id, accountId, bytes }: { id: string; accountId: string; bytes: number }): Place | null {
    const { permits, backlog, lines, isOpen, free } = this.#deps;
    if (!isOpen() || permits.only || backlog.isBehind(accountId)) return null;
    const isAlone = this.#isAlone();
    const beside = isAlone ? this.#placeBeside() : null;
    if (beside) return beside;
    if (free() <= 0 || this.#bytes + bytes > maxBytes || lines.of(accountId) >= longestLine) {
      backlog.fellBehind(accountId);
      return null;
    }
    return this.#place({ eventId: id, accountId, bytes, mayWaitForWorkflow: isAlone });
  }

  room(accountIds: readonly string[]): Promise<void> {
    return this.#deps.lines.untilShorter(accountIds);
  }

  queued(accountId: string): void {
    this.#deps.queued(accountId);
  }

  #place(event: { eventId: string; accountId: string; bytes: number; mayWaitForWorkflow: boolean }): Place {
    const { gate, leases, permits, lines, begin } = this.#deps;
    const { eventId, accountId, bytes } = event;
    const permit = event.mayWaitForWorkflow && permits.free() > 0 ? permits.take(eventId) : null;
    const direct = permit === null;
    const taken = direct && lines.of(accountId) === 0 ? gate.enterDirect(accountId, performance.now()) : null;
    const turn = taken && 'leave' in taken ? taken : null;
    const hold = leases.hold(eventId);
    const claim = { eventId, accountId, generation: 0, direct };
    this.#reserved++;
    this.#bytes += bytes;
    const giveUp = () => {
      this.#reserved--;
      this.#bytes -= bytes;
      permit?.release();
      turn?.leave();
    };
    return {
      direct,
      token: leases.token,
      take: (stored) => {
        this.#reserved--;
        const go = (own: Way['turn']) =>
          void begin(claim, { turn: own, permit, hold, event: stored }).finally(() => {
            this.#bytes -= bytes;
          });
        if (turn || permit) go(turn);
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

  /** Whether no other event has arrived for a while. */
  #isAlone(): boolean {
    const nowMs = performance.now();
    const isAlone = nowMs - this.#arrivedMs >= silenceMs;
    this.#arrivedMs = nowMs;
    return isAlone;
  }

  /** A place in the worker process beside this one; null if it has none. */
  #placeBeside(): Place | null {
    const { workerBeside: side, sentBeside } = this.#deps;
    if (!side || side.free() <= 0) return null;
    return {
      direct: false,
      token: side.token,
      take: (event: StoredEvent) => {
        sentBeside();
        side.take(event);
      },
      cancel: () => undefined,
      abandon: () => side.doubt(),
    };
  }
}
