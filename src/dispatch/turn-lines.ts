import type { Turn } from '../delivery/turn-gate.ts';

/** The lines of handed-over events that wait for a turn of their account, first come, first served. */
export class TurnLines {
  readonly #lines = new Map<string, ((turn: Turn) => void)[]>();
  #size = 0;

  /** The events in all lines. */
  get size(): number {
    return this.#size;
  }

  /** The events in the line of an account. */
  of(accountId: string): number {
    return this.#lines.get(accountId)?.length ?? 0;
  }

  /** @param begin is called with the event's turn. */
  join(accountId: string, begin: (turn: Turn) => void): void {
    const line = this.#lines.get(accountId) ?? [];
    this.#lines.set(accountId, line);
    line.push(begin);
    this.#size++;
  }

  /** Takes the first of an account's line. */
  next(accountId: string): ((turn: Turn) => void) | null {
    const line = this.#lines.get(accountId);
    const first = line?.shift() ?? null;
    if (line?.length === 0) this.#lines.delete(accountId);
    if (first) this.#size--;
    return first;
  }
}
