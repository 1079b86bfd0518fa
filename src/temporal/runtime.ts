import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Log } from '../shared/log.ts';

let installed = false;

/**
 * Sets up the native part of the Temporal SDK. Its logs go to the gateway's log. It installs no signal handlers, which
 * would stop the worker before the gateway's graceful shutdown. The SDK accepts these settings once per process, so
 * later calls have no effect.
 */
export function installRuntime(log: Log): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    shutdownSignals: [],
    // Otherwise the native part writes to standard output, not as JSON and without regard to LOG_LEVEL.
    telemetryOptions: { logging: { forward: {} } },
    logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
      const { error, ...fields } = { error: undefined, ...meta };
      const entry = { ...fields, ...(error === undefined ? {} : { err: error }), from: 'temporal' };
      switch (level) {
        case 'ERROR':
        case 'WARN':
          // Mostly errors of pollers while the server is unavailable, which the gateway logs too.
          return log.warn(entry, message);
        case 'INFO':
          return log.debug(entry, message);
        default:
          return log.trace(entry, message);
      }
    }),
  });
}
