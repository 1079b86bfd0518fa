/** Steps for one event. Conditions that people write take less than a hundred each. */
const maxSteps = 10_000;
/** UTF-16 units of texts that patterns search, for one event. */
const maxPatternUnits = 8 * 1024;
/** UTF-16 units of a long text that one step compares or searches. */
const unitsPerStep = 1_024;

/**
 * The work that the conditions of one event may take, together. It is counted and not timed, so that the same event has
 * the same result in every process.
 */
export class Work {
  /** Conditions that took more than was left. They count as met. */
  exceeded = 0;
  #steps = maxSteps;
  #patternUnits = maxPatternUnits;

  /** Takes steps; false when fewer are left. Then none are left. */
  step(count = 1): boolean {
    const isEnough = count <= this.#steps;
    this.#steps = isEnough ? this.#steps - count : 0;
    return isEnough;
  }

  /** Takes the steps for comparing or searching a text of the payload. */
  text(units: number): boolean {
    return this.step(Math.floor(units / unitsPerStep));
  }

  /** Takes what a pattern searches; false, and nothing is taken, when less is left. */
  pattern(units: number): boolean {
    if (units > this.#patternUnits) return false;
    this.#patternUnits -= units;
    return true;
  }
}
