import { parseArgs } from 'node:util';
import { wholeNumber } from '../support/whole-number.ts';

export const usage = 'npm run soak -- [--minutes 60] [--rate 8]';

/**
 * Reads the arguments of the command.
 *
 * @throws Error that says what is wrong
 */
export function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: { minutes: { type: 'string', default: '60' }, rate: { type: 'string', default: '8' } },
  });
  return {
    minutes: wholeNumber('--minutes', values.minutes),
    /** Webhooks a second. */
    rate: wholeNumber('--rate', values.rate),
  };
}
