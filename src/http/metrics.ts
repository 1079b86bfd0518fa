import { Elysia } from 'elysia';
import { z } from 'zod';
import { metricsContentType } from '../telemetry/metrics/scrape.ts';
import { directAnswer } from './direct-answer.ts';
import { publicOperation } from './operation.ts';
import { Problem } from './problem.ts';

const described = publicOperation({
  summary: "Read the gateway's metrics",
  description:
    'For Prometheus; docs/metrics.md lists them. Needs no token, and the load balancer must not forward it. Not there when `METRICS_PORT` is set: then it is on that port.',
  operationId: 'readMetrics',
  tag: 'health',
  success: {
    200: {
      description: "The metrics in Prometheus' text format",
      schema: z.string().meta({ examples: ['gateway_deliveries_pending 0\n'] }),
      contentType: 'text/plain',
    },
  },
  errors: ['not_found', 'internal'],
});

/**
 * `/metrics`.
 *
 * @param scrape gives the text; null: it is on another port.
 */
export function metricsRoutes(scrape: (() => Promise<Uint8Array>) | null) {
  const headers = { 'content-type': metricsContentType };
  return new Elysia({ name: 'metrics' }).get(
    '/metrics',
    async ({ request }) => {
      if (scrape === null) throw new Problem('not_found', 'the metrics are on METRICS_PORT');
      // Not shared: it is another text each second, so that clients that read slowly would hold one each.
      return directAnswer(request, { headers, body: await scrape(), isShared: false });
    },
    described,
  );
}
