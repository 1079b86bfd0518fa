import type { HeldTurn, TurnGate } from '../delivery/turn-gate.ts';

/** A consumer that answers as quickly as this, on average, does not slow its line down: the gateway does. */
export const quickMs = 100;
/** A line of this length is worth a short wait of those who accept more. */
const crowdedLine = 48;
const longestWaitMs = 25;

/** The lines of events that wait in memory for a turn of their account, first come, first served. */
export class TurnLines {
  readonly #gate: TurnGate;
  readonly #lines = new Map<string, ((turn: HeldTurn) => void)[]>();
  #size = 0;
  /** Those who wait until a line is shorter. */
  #waiting: (() => void)[] = [];
  #stopped = false;

  constructor(gate: TurnGate) {
    this.#gate = gate;
    gate.onLeft = (accountId) => this.#advance(accountId);
  }

  /** The events in all lines. */
  get size(): number {
    return this.#size;
  }

  /** The events in the line of an account. */
  of(accountId: string): number {
    return this.#lines.get(accountId)?.length ?? 0;
  }

  /** @param begin is called with the event's turn. */
  join(accountId: string, begin: (turn: HeldTurn) => void): void {
    const line = this.#lines.get(accountId) ?? [];
    this.#lines.set(accountId, line);
    line.push(begin);
    this.#size++;
    this.#advance(accountId);
  }

  /** Waits while the line of one of these accounts is long although its consumer is quick, for at most 25 ms. */
  async untilShorter(accountIds: readonly string[]): Promise<void> {
    if (!accountIds.some((id) => this.#isCrowded(id))) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, longestWaitMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** From now on, no event gets a turn. */
  stop(): void {
    this.#stopped = true;
  }

  /** Gives the free turns of an account to the events in its line. */
  #advance(accountId: string): void {
    if (this.#stopped) return;
    while (this.of(accountId) > 0) {
      const turn = this.#gate.enterDirect(accountId, performance.now());
      if ('waitMs' in turn) break;
      this.#next(accountId)?.(turn);
    }
    if (this.#waiting.length > 0 && !this.#isCrowded(accountId)) for (const goOn of this.#waiting.splice(0)) goOn();
  }

  #next(accountId: string): ((turn: HeldTurn) => void) | null {
    const line = this.#lines.get(accountId);
    const first = line?.shift() ?? null;
    if (line?.length === 0) this.#lines.delete(accountId);
    if (first) this.#size--;
    return first;
  }

  #isCrowded(accountId: string): boolean {
    return this.of(accountId) >= crowdedLine && this.#gate.meanMs(accountId) < quickMs;
  }
}
