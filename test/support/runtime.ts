import { pino } from 'pino';
import { createLog } from '../../src/shared/log.ts';
import { installRuntime } from '../../src/temporal/runtime.ts';
import { watch } from './leaks/watch.ts';

const level = process.env.TEST_LOG_LEVEL ?? 'fatal';

/**
 * The log of the gateways in this process. It is searched for secrets at all levels, and shown from TEST_LOG_LEVEL on.
 */
export const log = createLog(
  'trace',
  pino.multistream([
    { level: 'trace', stream: { write: (line) => watch('the log', line) } },
    { level: pino.levels.values[level] === undefined ? 'fatal' : (level as pino.Level), stream: pino.destination(2) },
  ]),
);

/** Sets up the native part of the Temporal SDK as the gateway does. */
export const installTestRuntime = () => installRuntime(log);
