import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** A JSON logger. It writes to standard error, so that what the program prints for people on standard output stays readable. */
export function createLog(level: string, destination: DestinationStream = standardError()): Log {
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/**
 * Where lines that cannot be written, since the disk is full or the terminal is closed, are lost. Else whoever logs would
 * get the error, and the process would end.
 */
function standardError(): DestinationStream {
  const open = () => pino.destination({ fd: 2, sync: true });
  let stream = open();
  return {
    write(line) {
      try {
        stream.write(line);
      } catch {
        // It keeps what it could not write; a new one has nothing.
        stream = open();
      }
    },
  };
}
