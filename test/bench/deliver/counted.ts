import { type ScrapedMetric, scraped, sumOf } from '../../process/metrics/exposition.ts';
import type { ArrivalReport } from '../consumer/arrivals.ts';

const accepted = 'gateway_webhooks_received_total{provider="generic",result="accepted"}';
const delivered = 'gateway_delivery_attempts_total{outcome="delivered"}';
const refusedByConsumer = 'gateway_delivery_attempts_total{outcome="http_error"}';

type Answer = Map<string, ScrapedMetric>;

/** The metrics of the gateway; null for a version that has none. */
export async function metricsNow({ baseUrl }: { baseUrl: string }): Promise<Answer | null> {
  const response = await fetch(`${baseUrl}/metrics`, { method: 'HEAD' });
  return response.ok ? await scraped(baseUrl) : null;
}

/**
 * Compares what the gateway has counted during a run with what sender and consumer have. Prints each difference; a gateway
 * that counts wrongly is not a reason to lose the figures of a run.
 */
export function compareCounts(
  before: Answer | null,
  after: Answer | null,
  { acknowledged, arrived }: { acknowledged: number; arrived: ArrivalReport },
): void {
  if (!before || !after) return;
  const ok = arrived.statuses.filter((status) => status === 200).length;
  const counted = [
    [accepted, acknowledged],
    [delivered, ok],
    [refusedByConsumer, arrived.statuses.length - ok],
  ] as const;
  for (const [series, wanted] of counted) {
    const shown = sumOf([after], series) - sumOf([before], series);
    if (shown !== wanted)
      console.error(`/metrics differs: ${series} has counted ${shown}, sender or consumer ${wanted}`);
  }
}
