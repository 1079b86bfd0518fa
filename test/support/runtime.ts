import { pino } from 'pino';
import { installRuntime } from '../../src/engine/runtime.ts';
import { createLog } from '../../src/log.ts';
import { watch } from './leaks/watch.ts';

const level = process.env.TEST_LOG_LEVEL ?? 'fatal';

/**
 * The log of the gateways in this process. It is searched for secrets at every level that an operator may set, and shown
 * from TEST_LOG_LEVEL on.
 */
export const log = createLog(
  'trace',
  pino.multistream([
    { level: 'trace', stream: { write: (line) => watch('the log', line) } },
    { level: pino.levels.values[level] === undefined ? 'fatal' : (level as pino.Level), stream: pino.destination(2) },
  ]),
);
let installed = false;

/**
 * Sets up the native part of the Temporal SDK as the gateway does. A process does that once, and a worker of the test run
 * is one process for many files.
 */
export function installTestRuntime(): void {
  if (!installed) installRuntime(log);
  installed = true;
}
