import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';

/** Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** How long a rendered answer is given out again, so that many scrapes cost no more than one per second. */
const keptMs = 1_000;

/** A metric with its values, as plain data that can be sent to another process. */
export type Family = Pick<
  MetricObjectWithValues<MetricValue<string>>,
  'name' | 'help' | 'type' | 'aggregator' | 'values'
>;

/** The metrics of one process. */
export interface Collected {
  families: Family[];
  /** Metrics of the Temporal SDK in Prometheus' text format; empty when the process has none. */
  sdk: string;
}

/** Collects the metrics of a process. Never rejects. */
export type Collect = () => Promise<Collected>;

/**
 * Renders one answer for several processes. Each metric is there once: counters and histograms are added up, and a gauge
 * is merged as its declaration says.
 */
async function render(processes: readonly Collected[]): Promise<string> {
  const families = processes.map((one) => one.families.map(kept));
  const merged = await AggregatorRegistry.aggregate(families).metrics();
  return [merged, ...processes.map(({ sdk }) => sdk).filter((text) => text !== '')].map(endOfLine).join('');
}

/** The library leaves out the start time of several processes; the earliest one tells since when counters count. */
const kept = (family: Family): Family => (family.aggregator === 'omit' ? { ...family, aggregator: 'min' } : family);

const endOfLine = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/** Gives out the metrics of some processes, rendered at most once per second however many clients ask. */
export class Scrape {
  readonly #collects: readonly Collect[];
  #rendering: Promise<Uint8Array> | null = null;
  #untilMs = Number.NEGATIVE_INFINITY;

  constructor(collects: readonly Collect[]) {
    this.#collects = collects;
  }

  /** The answer to a scrape, as text in UTF-8. Clients that ask at the same time share it. */
  text(): Promise<Uint8Array> {
    if (this.#rendering && performance.now() < this.#untilMs) return this.#rendering;
    // No second rendering is started while one runs, however long it takes.
    this.#untilMs = Number.POSITIVE_INFINITY;
    const rendering = this.#render().finally(() => {
      this.#untilMs = performance.now() + keptMs;
    });
    this.#rendering = rendering;
    rendering.catch(() => {
      this.#rendering = null;
    });
    return rendering;
  }

  async #render(): Promise<Uint8Array> {
    return Buffer.from(await render(await Promise.all(this.#collects.map((collect) => collect()))));
  }
}
