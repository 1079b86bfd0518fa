import type { Config } from '../config/config.ts';
import { pingDatabase } from '../database/ping.ts';
import type { Sql } from '../database/sql.ts';
import { type Observed, serveMetrics } from '../http/metrics-server.ts';
import { databaseUnavailable, Problem } from '../http/problem.ts';
import type { HttpServer } from '../http/serve.ts';
import { stoppingProblem } from '../http/stopping.ts';
import type { Log } from '../shared/log.ts';
import type { Running } from '../shared/running.ts';
import type { Collect, Scrape } from '../telemetry/metrics/scrape.ts';
import type { TemporalHealth } from '../temporal/temporal-health.ts';

interface MetricsParts {
  config: Pick<Config, 'host' | 'metricsPort'>;
  database: Sql;
  scrape: Scrape;
  /** Aborted when the process is asked to stop: the readiness check then fails. */
  stopped: AbortSignal;
  log: Log;
}

/**
 * Serves the metrics of a process that also serves webhooks. With METRICS_PORT they are on that port, with the health
 * checks.
 *
 * @returns `scrape`: what answers `/metrics` on the port of the webhooks; null when METRICS_PORT is set.
 * @throws StartError when the port is taken.
 */
export async function serveFrontMetrics(
  parts: MetricsParts,
): Promise<Running & { scrape: (() => Promise<Uint8Array>) | null }> {
  const { config, scrape } = parts;
  const text = () => scrape.text();
  if (config.metricsPort === null) return { scrape: text, stop: async () => undefined };
  const server = await listen(parts, { scrape: text, ready: () => checkReady(parts) });
  return { scrape: null, stop: () => server.close() };
}

/**
 * Serves metrics and health of a worker. It is ready while the database and Temporal answer and its Temporal worker polls,
 * until it is asked to stop.
 *
 * @throws StartError when the port is taken.
 */
export async function serveWorkerMetrics(
  parts: MetricsParts & {
    temporal: () => Pick<TemporalHealth, 'polling' | 'answers'> | null;
    /** The metrics as data, for the `api` of `npm start`. */
    collect: Collect;
  },
): Promise<Running & { port: number }> {
  const { scrape, temporal, collect } = parts;
  const server = await listen(parts, {
    scrape: () => scrape.text(),
    collected: collect,
    async ready() {
      await checkReady(parts);
      const health = temporal();
      if (!health?.polling) throw notReady('the Temporal worker does not run yet');
      if (!(await health.answers())) throw notReady('Temporal does not answer');
    },
  });
  return { port: server.port, stop: () => server.close() };
}

async function listen({ config: { host, metricsPort }, log }: MetricsParts, observed: Observed): Promise<HttpServer> {
  const server = await serveMetrics(observed, { host, port: metricsPort ?? 0, log });
  log.info({ host, port: server.port }, 'metrics listening');
  return server;
}

/** @throws Problem when the process is about to stop, or the database does not answer or takes no writes. */
async function checkReady({ database, stopped }: MetricsParts): Promise<void> {
  if (stopped.aborted) throw stoppingProblem();
  await pingDatabase(database).catch(() => {
    throw databaseUnavailable();
  });
}

const notReady = (why: string) =>
  new Problem('engine_unavailable', `${why}; an api makes first attempts without it, retries wait`, {
    headers: { 'retry-after': '5' },
  });
