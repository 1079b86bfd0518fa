import { pino } from 'pino';
import { createLog } from '../../src/shared/log.ts';
import { installRuntime } from '../../src/temporal/runtime.ts';
import { watch } from './leaks/watch.ts';

type Line = Record<string, unknown>;

/** Who takes the lines of a message: see {@link onLine}. */
const takers = new Map<string, (line: Line) => void>();

function take(text: string): void {
  for (const [message, taker] of takers) if (text.includes(`"${message}"`)) taker(JSON.parse(text));
}

/**
 * Calls `taker` with each line with this message that the gateways in this process write to their log from now on, before
 * they continue.
 */
export function onLine(message: string, taker: (line: Line) => void): void {
  takers.set(message, taker);
}

/** Collects the lines with this message that the gateways in this process write to their log from now on. */
export function collectLines(message: string): Line[] {
  const lines: Line[] = [];
  onLine(message, (line) => lines.push(line));
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
          take(line);
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
