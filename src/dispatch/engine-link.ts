import { EngineUnavailable, type WorkflowEngine } from './workflow-engine.ts';

/** While Temporal is away one call in this time asks whether it is back. */
const probeMs = 1_000;

/** The relay's view of Temporal: the engine once it is connected, and whether it took the last call. */
export class EngineLink {
  #engine: WorkflowEngine | null = null;
  #down = true;
  #probeAtMs = 0;

  /** Null while there is no connection. */
  set(engine: WorkflowEngine | null): void {
    this.#engine = engine;
    this.#down = engine === null;
  }

  get up(): boolean {
    return !this.#down;
  }

  /** How many calls may be made now: all of them, one to find out whether Temporal is back, or none. */
  room(wanted: number): number {
    if (!this.#engine || wanted <= 0) return 0;
    if (!this.#down) return wanted;
    return Date.now() < this.#probeAtMs ? 0 : 1;
  }

  /**
   * Calls Temporal and remembers whether it answered.
   *
   * @throws EngineUnavailable
   */
  async call<T>(work: (engine: WorkflowEngine) => Promise<T>): Promise<T> {
    if (!this.#engine) throw new EngineUnavailable('Temporal is not connected');
    // Only a call that is made counts as asking: a poller with nothing to do must not use up the others' turn.
    if (this.#down) this.#probeAtMs = Date.now() + probeMs;
    try {
      const result = await work(this.#engine);
      this.#down = false;
      return result;
    } catch (error) {
      if (error instanceof EngineUnavailable) {
        this.#down = true;
        this.#probeAtMs = Date.now() + probeMs;
      }
      throw error;
    }
  }
}
