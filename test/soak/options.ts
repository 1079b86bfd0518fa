import { parseArgs } from 'node:util';

export const usage = 'npm run soak -- [--minutes 60] [--rate 20]';

export interface SoakCommand {
  minutes: number;
  /** Webhooks a second. */
  rate: number;
}

/**
 * Reads the arguments of the command.
 *
 * @throws Error that says what is wrong
 */
export function readOptions(args: readonly string[]): SoakCommand {
  const { values } = parseArgs({
    args: [...args],
    options: { minutes: { type: 'string', default: '60' }, rate: { type: 'string', default: '20' } },
  });
  return { minutes: positive('--minutes', values.minutes), rate: positive('--rate', values.rate) };
}

function positive(name: string, value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`${name} must be a whole number from 1, not '${value}'`);
  return number;
}
