import { searchAttributes } from '../../workflows/search-attributes.ts';
import type { Log } from '../shared/log.ts';
import { EngineRefused } from './engine-errors.ts';

/** How often a start checks whether Temporal accepts the search attributes again. A check is one refused call. */
const checkMs = 5_000;

/**
 * Starts workflows with their search attributes, and without them while Temporal refuses these: the namespace does not
 * have them (in Temporal Cloud, an operator creates them), or has one of another type. Retries must not depend on them.
 */
export class StartAttributes {
  readonly #log: Log;
  #refused = false;
  #checkAtMs = Number.NEGATIVE_INFINITY;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Calls `start`, with the search attributes unless these were refused a moment ago, and again without if it is refused.
   *
   * @throws the errors of `start`; EngineRefused only when Temporal refuses something else.
   */
  async start<T>(start: (attributes: 'with' | 'without') => Promise<T>): Promise<T> {
    if (performance.now() < this.#checkAtMs) return start('without');
    let result: T;
    try {
      result = await start('with');
    } catch (error) {
      if (!(error instanceof EngineRefused)) throw error;
      const started = await start('without');
      this.#noteRefused(error);
      return started;
    }
    if (this.#refused) this.#log.info('workflows started with search attributes again');
    this.#refused = false;
    return result;
  }

  #noteRefused({ message }: EngineRefused): void {
    this.#checkAtMs = performance.now() + checkMs;
    if (this.#refused) return;
    this.#refused = true;
    // Only the names: the message may have a value, such as the type of an event, which comes from a payload.
    const names = Object.values(searchAttributes).map(({ name }) => name);
    this.#log.warn(
      { refused: names.filter((name) => message.includes(name)) },
      'workflows started without search attributes, Temporal refuses them',
    );
  }
}
