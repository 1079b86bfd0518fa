import { AggregatorRegistry } from 'prom-client';
import type { Family } from './scrape.ts';

/**
 * Keeps the counters of a process that another one replaces after its death. Its counters are added to those of the
 * process that answers, and a sum that becomes smaller would look like a restart of everything: Prometheus would count
 * all of it once more.
 */
export class LastingCounters {
  /** The counters of processes that have ended. */
  #ended: Family[] = [];
  #last: { process: number; families: Family[] } | null = null;

  /** Takes the metrics of a process. */
  async seen(process: number, families: readonly Family[]): Promise<void> {
    const last = this.#last;
    this.#last = { process, families: families.filter(isCounted) };
    if (last && last.process !== process)
      this.#ended = await AggregatorRegistry.aggregate([this.#ended, last.families]).getMetricsAsJSON();
  }

  /** The counters of the processes before the last one. */
  get before(): Family[] {
    return this.#ended;
  }

  /** The counters of the last process as it told them last, for when it does not answer. */
  get last(): Family[] {
    return this.#last?.families ?? [];
  }
}

const counted = new Set(['counter', 'histogram', 'summary']);
// The library declares the types as numbers, and gives them as names.
const isCounted = ({ type }: Family) => counted.has(String(type));
