import { lowestId } from './queue.ts';

/**
 * Where the next claim of a lane continues, so that claims serve one consumer after the other. After the last consumer a pass
 * begins again with the first: at once if it has served any, because claims that were cut short have left events of others.
 */
export class ClaimPass {
  #after = lowestId;
  #hasServed = false;

  /** The consumer after which the next claim begins. */
  get after(): string {
    return this.#after;
  }

  /**
   * Call it after each claim.
   *
   * @param round how many events it has claimed, and the consumer after which to continue; null after the last one.
   * @returns whether more may be found at once.
   */
  goOn({ claimed, next }: { claimed: number; next: string | null }): boolean {
    this.#hasServed ||= claimed > 0;
    const beganLater = this.#after !== lowestId;
    this.#after = next ?? lowestId;
    if (next !== null) return true;
    const again = beganLater && this.#hasServed;
    this.#hasServed = false;
    return again;
  }
}
