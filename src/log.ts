import { type Logger, pino } from 'pino';

export type Log = Logger;

/** A JSON logger on standard error, so that what the program prints for people on standard output stays readable. */
export function createLog(level: string): Log {
  return pino(
    { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );
}
