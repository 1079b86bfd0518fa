import { pino } from 'pino';
import { createLog } from '../../src/shared/log.ts';
import { installRuntime } from '../../src/temporal/runtime.ts';
import { watch } from './leaks/watch.ts';

type Line = Record<string, unknown>;

/** The collected lines by their messages: see {@link collectLines}. */
const collected = new Map<string, Line[]>();

function collect(text: string): void {
  for (const [message, lines] of collected) if (text.includes(`"${message}"`)) lines.push(JSON.parse(text));
}

/** Collects the lines with this message that the gateways in this process write to their log from now on. */
export function collectLines(message: string): Line[] {
  const lines: Line[] = [];
  collected.set(message, lines);
  return lines;
}

const level = process.env.TEST_LOG_LEVEL ?? 'fatal';

/**
 * The log of the gateways in this process. It is searched for secrets at all levels, and shown from TEST_LOG_LEVEL on.
 */
export const log = createLog(
  'trace',
  pino.multistream([
    {
      level: 'trace',
      stream: {
        write(line) {
          watch('the log', line);
          collect(line);
        },
      },
    },
    { level: pino.levels.values[level] === undefined ? 'fatal' : (level as pino.Level), stream: pino.destination(2) },
  ]),
);

/**
 * Sets up the native part of the Temporal SDK as the gateway does. Workflows run in the same sandbox, but in this thread:
 * the start of a thread for each gateway, and a watchdog for each call, took half a second and 8 ms for each workflow. The
 * processes that tests start have both.
 */
export function installTestRuntime(): void {
  process.env.TEMPORAL_DEBUG = '1';
  installRuntime(log);
}
