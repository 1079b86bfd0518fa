import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * Creates a JSON logger. It writes to standard error, so that the output for users on standard output stays readable.
 */
export function createLog(level: string, destination: DestinationStream = standardError()): Log {
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, destination);
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
