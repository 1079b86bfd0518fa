import { DefaultLogger, Runtime, type RuntimeOptions } from '@temporalio/worker';
import getPort from 'get-port';
import type { Log } from '../shared/log.ts';
import { RareWarning } from '../shared/rare-warning.ts';

const loopback = '127.0.0.1';
/** Another program may take the free port in the moment before it is bound. */
const portTries = 5;
/** The SDK's own server is in this process; it answers within milliseconds. */
const readLimitMs = 1_000;

let installed: { metricsUrl: string | null } | null = null;

/** The SDK warns of a worker without workflows, as those of notifications, maintenance and backups are. */
const noWorkflows = 'No workflows registered';

/**
 * Sets up the native part of the Temporal SDK. Its logs go to the gateway's log. It installs no signal handlers, which
 * would stop the worker before the gateway's graceful shutdown. The SDK accepts these settings once per process, so
 * later calls have no effect.
 */
export function installRuntime(log: Log): void {
  if (!installed) install(log, null);
}

/**
 * Like `installRuntime`, and measures the SDK. Its metrics are on a free port of loopback, the only place where the SDK
 * renders them.
 *
 * @returns a function that reads them in Prometheus' text format. It answers with an empty text when it cannot.
 */
export async function installMeasuredRuntime(log: Log): Promise<() => Promise<string>> {
  for (let triesLeft = portTries; !installed; triesLeft--) {
    const port = await getPort({ host: loopback });
    try {
      install(log, port);
    } catch (error) {
      if (triesLeft > 1) continue;
      log.warn({ err: error }, 'SDK not measured, its metrics are missing');
      installRuntime(log);
    }
  }
  const { metricsUrl } = installed;
  const unread = new RareWarning();
  return async () => {
    if (metricsUrl === null) return '';
    try {
      const response = await fetch(metricsUrl, { signal: AbortSignal.timeout(readLimitMs) });
      return await response.text();
    } catch (error) {
      unread.add();
      unread.tell((answers) => log.warn({ err: error, answers }, 'SDK metrics not read, they are missing'));
      return '';
    }
  };
}

function install(log: Log, metricsPort: number | null): void {
  const metrics: RuntimeOptions['telemetryOptions'] =
    metricsPort === null
      ? {}
      : {
          metrics: {
            prometheus: {
              bindAddress: `${loopback}:${metricsPort}`,
              // The names that Prometheus recommends, as in the pages and dashboards about Temporal's SDKs.
              ...{ countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true },
            },
          },
        };
  Runtime.install({
    shutdownSignals: [],
    // Otherwise the native part writes to standard output, not as JSON and without regard to LOG_LEVEL.
    telemetryOptions: { logging: { forward: {} }, ...metrics },
    logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
      const { error, ...fields } = { error: undefined, ...meta };
      const entry = { ...fields, ...(error === undefined ? {} : { err: error }), from: 'temporal' };
      switch (level) {
        case 'ERROR':
        case 'WARN':
          if (message.startsWith(noWorkflows)) return log.debug(entry, message);
          // Mostly errors of pollers while the server is unavailable, which the gateway logs too.
          return log.warn(entry, message);
        case 'INFO':
          return log.debug(entry, message);
        default:
          return log.trace(entry, message);
      }
    }),
  });
  installed = { metricsUrl: metricsPort === null ? null : `http://${loopback}:${metricsPort}/metrics` };
}
