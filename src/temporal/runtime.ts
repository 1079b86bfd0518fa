import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Log } from '../shared/log.ts';

let installed = false;

/**
 * Sets up the native part of the Temporal SDK: its logs go where ours go, and it leaves the signals of the process to us (its
 * own handlers would stop the worker before the gateway has ended its work). The SDK takes these settings once a process, so
 * later calls do nothing.
 */
export function installRuntime(log: Log): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    shutdownSignals: [],
    // Else the native part writes lines of its own to standard output, which are no JSON and know no LOG_LEVEL.
    telemetryOptions: { logging: { forward: {} } },
    logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
      const { error, ...fields } = { error: undefined, ...meta };
      const entry = { ...fields, ...(error === undefined ? {} : { err: error }), from: 'temporal' };
      switch (level) {
        case 'ERROR':
        case 'WARN':
          // Above all pollers that find the server away: it is the relay that says so, once.
          return log.warn(entry, message);
        case 'INFO':
          return log.debug(entry, message);
        default:
          return log.trace(entry, message);
      }
    }),
  });
}
