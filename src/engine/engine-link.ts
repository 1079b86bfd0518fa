import { EngineUnavailable } from './engine-errors.ts';
import type { WorkflowEngine } from './workflow-engine.ts';

/** While Temporal is unavailable, at most one call per second checks whether it is back. */
const probeMs = 1_000;

/** The dispatcher's connection to Temporal: the engine once it is connected, and whether the last call succeeded. */
export class EngineLink {
  #engine: WorkflowEngine | null = null;
  #down = true;
  /** As `performance.now()`: a wrong clock must not delay a probe. */
  #probeAtMs = 0;
  /** When a call last succeeded, by the same clock. */
  #answeredAtMs = Number.NEGATIVE_INFINITY;

  /** Sets the engine after Temporal was connected; null while there is no connection. */
  set(engine: WorkflowEngine | null): void {
    this.#engine = engine;
    this.#down = engine === null;
  }

  /** Whether the last call has found Temporal unavailable, or there is no connection. */
  get isDown(): boolean {
    return this.#down;
  }

  /**
   * Whether Temporal answers. If no call has succeeded within the last second, this makes one: an idle dispatcher does not
   * notice that Temporal is gone or back.
   */
  async answers(): Promise<boolean> {
    if (!this.#down && performance.now() < this.#answeredAtMs + probeMs) return true;
    if (this.room(1) === 0) return false;
    try {
      await this.call((engine) => engine.ping());
      return true;
    } catch (error) {
      if (error instanceof EngineUnavailable) return false;
      throw error;
    }
  }

  /** How many calls may be made now: all that are wanted, one as a probe while Temporal is unavailable, or none. */
  room(wanted: number): number {
    if (!this.#engine || wanted <= 0) return 0;
    if (!this.#down) return wanted;
    return performance.now() < this.#probeAtMs ? 0 : 1;
  }

  /**
   * Calls Temporal and records whether it is available.
   *
   * @throws EngineUnavailable
   */
  async call<T>(work: (engine: WorkflowEngine) => Promise<T>): Promise<T> {
    if (!this.#engine) throw new EngineUnavailable('Temporal is not connected');
    // Only an actual call counts as a probe: a poller without work must not delay the probes of the others.
    if (this.#down) this.#probeAtMs = performance.now() + probeMs;
    try {
      const result = await work(this.#engine);
      this.#down = false;
      this.#answeredAtMs = performance.now();
      return result;
    } catch (error) {
      if (error instanceof EngineUnavailable) {
        this.#down = true;
        this.#probeAtMs = performance.now() + probeMs;
      }
      throw error;
    }
  }
}
