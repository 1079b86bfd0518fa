import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * Creates a JSON logger. It writes to standard error, so that the output for users on standard output stays readable.
 *
 * @param fields returns a new object with more fields of a line, such as the ids of the active span; without it, lines cost
 *   nothing more.
 */
export function createLog(
  level: string,
  destination: DestinationStream = standardError(),
  fields: (() => object) | null = null,
): Log {
  const mixin = fields === null ? {} : { mixin: fields };
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime, ...mixin }, destination);
}

/** Writes the warnings of Node, such as deprecations, to the log. Node itself writes them as lines of text. */
export function logNodeWarnings(log: Log): void {
  // The only listener so far is the one of Node that prints them.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, 'warning of Node'));
}

/**
 * Standard error, without write errors. When the disk is full or the terminal is closed, lines are lost. Otherwise the
 * error would be thrown at the caller of the logger and end the process.
 */
function standardError(): DestinationStream {
  const open = () => pino.destination({ fd: 2, sync: true });
  let stream = open();
  return {
    write(line) {
      try {
        stream.write(line);
      } catch {
        // The stream keeps lines that it could not write, so it is replaced by an empty one.
        stream = open();
      }
    },
  };
}
