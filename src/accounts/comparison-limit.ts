import { Problem } from '../http/problem.ts';
import { WindowCounts } from '../http/window-counts.ts';

/** Comparisons of one token in a minute: each is a guess at every secret of an account. */
const allowed = 10;
/** Tokens that are remembered: more than any gateway has. */
const maxTokens = 10_000;

/** Limits the comparisons of each admin token, in windows of a minute. */
export class ComparisonLimit {
  readonly #made: WindowCounts;

  /** @param clock as of `WindowCounts` */
  constructor(clock: { now(): number } = performance) {
    this.#made = new WindowCounts({ most: maxTokens, clock });
  }

  /**
   * Counts one comparison.
   *
   * @param token the name of the admin token
   * @throws Problem `too_many_calls` with `Retry-After`, when the token has used up its minute.
   */
  take(token: string): void {
    const { count, retryAfterS } = this.#made.add(token);
    if (count > allowed)
      throw new Problem(
        'too_many_calls',
        `the token '${token}' has compared secrets ${allowed} times within a minute; try again in ${retryAfterS} seconds`,
        { headers: { 'retry-after': String(retryAfterS) } },
      );
  }
}
