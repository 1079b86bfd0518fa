import type { Log } from '../shared/log.ts';
import { metricsContentType } from '../telemetry/metrics/scrape.ts';
import { BodyBudget } from './bodies/body-budget.ts';
import { BodyReader } from './bodies/body-reader.ts';
import { nodeRequest } from './node-request.ts';
import { Problem } from './problem.ts';
import { type HttpServer, serve } from './serve.ts';

/** Scrapers and probes are few. Each connection has the time limits of all connections (serve.ts). */
const maxConnections = 100;
/** No request here has a body that is read. */
const noBodyBytes = 1;

/** What a process tells on its port for metrics. */
export interface Observed {
  scrape(): Promise<Uint8Array>;
  /** The same as data, for a process that adds its own (src/roles/compose-metrics.ts): what `accept: application/json` gets. */
  collected?(): Promise<unknown>;
  /** @throws Problem when the process cannot do its work now. */
  ready(): Promise<void>;
}

/**
 * Serves `/metrics`, `/health/live` and `/health/ready` on a port of their own, and nothing else. It is the only port of
 * a worker; `METRICS_PORT` adds it to the other roles.
 *
 * @throws StartError when the port is taken.
 */
export function serveMetrics(
  observed: Observed,
  options: { host: string; port: number; log: Log },
): Promise<HttpServer> {
  const app = { compile: () => undefined, fetch: (request: Request) => answer(observed, request) };
  const bodies = new BodyReader({ budget: new BodyBudget(noBodyBytes), clientAddress: () => '' });
  return serve(app, { ...options, setting: 'METRICS_PORT', bodies, maxConnections });
}

async function answer(observed: Observed, request: Request): Promise<Response> {
  try {
    const handler = handlers[pathOf(request)];
    if (!handler) throw new Problem('not_found', 'there is nothing at this address');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new Problem('method_not_allowed', `this address accepts GET, not ${request.method}`, {
        headers: { allow: 'GET, HEAD' },
      });
    return await handler(observed, request);
  } catch (error) {
    if (error instanceof Problem) return error.toResponse();
    return new Problem('internal', 'the request failed in the gateway; see its log for the reason').toResponse();
  }
}

/** By the request itself: the URL of one with a host that is none cannot be parsed. */
const pathOf = (request: Request) => (nodeRequest(request).url ?? '').split('?', 1)[0] ?? '';

const handlers: Record<string, (observed: Observed, request: Request) => Promise<Response>> = {
  '/metrics': async ({ scrape, collected }, { headers }) =>
    collected && headers.get('accept') === 'application/json'
      ? Response.json(await collected())
      : new Response(new Uint8Array(await scrape()), { headers: { 'content-type': metricsContentType } }),
  '/health/live': async () => ok(),
  '/health/ready': ({ ready }) => ready().then(ok),
};

const ok = () => Response.json({ status: 'ok' });
