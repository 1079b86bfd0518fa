import { setTimeout as sleep } from 'node:timers/promises';
import { type ScrapedMetric, scraped } from '../../process/metrics/exposition.ts';
import type { ArrivalReport } from '../consumer/arrivals.ts';
import type { SendReport } from '../load/send.ts';

const accepted = 202;
const delivered = 200;
/** The last outcomes are recorded after their deliveries, and an answer of `/metrics` is used again for a second. */
const settleMs = 10_000;
const againMs = 500;

type Answer = Map<string, ScrapedMetric>;

/** What the load generator and the consumer have counted in all runs of a stage. */
export class Tally {
  #answered = 0;
  #accepted = 0;
  #attempts = 0;
  #delivered = 0;
  #events = 0;

  addSent({ statuses }: SendReport): void {
    this.#answered += statuses.filter((status) => status !== 0).length;
    this.#accepted += statuses.filter((status) => status === accepted).length;
  }

  /** Adds all arrivals of one run. */
  addArrived({ events, statuses }: ArrivalReport): void {
    this.#attempts += statuses.length;
    this.#delivered += statuses.filter((status) => status === delivered).length;
    this.#events += new Set(events).size;
  }

  /** What each metric must have counted since the gateway has started. */
  get wanted(): [metric: string, value: number][] {
    return [
      ['gateway_webhooks_received_total', this.#answered],
      ['gateway_webhooks_received_total{provider="generic",result="accepted"}', this.#accepted],
      ['gateway_ingest_duration_seconds_count', this.#answered],
      ['gateway_ingest_batch_size_sum', this.#accepted],
      ['gateway_delivery_attempts_total', this.#attempts],
      ['gateway_delivery_attempts_total{outcome="delivered"}', this.#delivered],
      ['gateway_delivery_attempt_duration_seconds_count', this.#attempts],
      ['gateway_delivery_first_attempt_delay_seconds_count', this.#events],
      ['gateway_delivery_connections_total', this.#attempts],
      ['gateway_deliveries_exhausted_total', 0],
      ['gateway_leases_lost_total', 0],
      ['gateway_notifications_total', 0],
      ['gateway_deliveries_pending', 0],
    ];
  }
}

/** The metrics of all processes of a gateway; null for a version that has none. */
export async function metricsNow(urls: readonly string[]): Promise<Answer[] | null> {
  const [first = ''] = urls;
  const { ok } = await fetch(`${first}/metrics`, { method: 'HEAD' });
  return ok ? Promise.all(urls.map(scraped)) : null;
}

/**
 * Compares what the processes have counted with what the load generator and the consumer have, metric by metric.
 *
 * @returns each difference in words; null for a version without metrics
 */
export async function differences(
  urls: readonly string[],
  before: readonly Answer[] | null,
  { wanted }: Tally,
): Promise<string[] | null> {
  if (before === null) return null;
  const endMs = Date.now() + settleMs;
  for (;;) {
    const after = await Promise.all(urls.map(scraped));
    const different = wanted.flatMap(([metric, value]) => {
      const shown = counted(after, metric) - (isGaugeOfAll(metric) ? 0 : counted(before, metric));
      return shown === value ? [] : [`${metric} has counted ${shown}, sender and consumer ${value}`];
    });
    if (different.length === 0 || Date.now() > endMs) return different;
    await sleep(againMs);
  }
}

/** A gauge that each process reads from the database, so that it is neither added up nor a difference. */
const isGaugeOfAll = (metric: string) => metric === 'gateway_deliveries_pending';

/** `npm start` tells the series of its api and of its worker apart by a label. */
const withoutRole = (key: string) => key.replace(/\{role="\w+"\}|,role="\w+"/, '');

/** A series over all answers, or all series of a metric. */
function counted(answers: readonly Answer[], metric: string): number {
  const series = answers
    .flatMap((answer) => [...answer.values()])
    .flatMap((scrapedMetric) => [...scrapedMetric.series]);
  const values = series
    .map(([key, value]) => [withoutRole(key), value] as const)
    .filter(([key]) => key === metric || key.startsWith(`${metric}{`))
    .map(([, value]) => value);
  if (values.length === 0) throw new Error(`no process has the metric ${metric}`);
  return isGaugeOfAll(metric) ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0);
}
