import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { wholeNumber } from '../support/whole-number.ts';
import { faultKinds } from './plan.ts';
import { defaultLoadS, defaultRate } from './settings.ts';

export const usage = `npm run faults -- [--seed N,M,…] [--seeds N] [--seconds ${defaultLoadS}] [--rate ${defaultRate}] [--faults ${faultKinds.join(',')}]`;

/**
 * Reads the arguments of the command.
 *
 * @throws Error that says what is wrong
 */
export function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string', default: '1' },
      seconds: { type: 'string', default: String(defaultLoadS) },
      rate: { type: 'string', default: String(defaultRate) },
      faults: { type: 'string' },
    },
  });
  const faults = values.faults?.split(',') ?? null;
  const unknown = faults?.find((kind) => !faultKinds.includes(kind));
  if (unknown !== undefined) throw new Error(`--faults has no '${unknown}'`);
  const given = values.seed?.split(',').map((seed) => wholeNumber('--seed', seed, 0)) ?? [randomInt(1_000_000)];
  const [first = 0] = given;
  const count = wholeNumber('--seeds', values.seeds);
  return {
    seeds: count === 1 ? given : Array.from({ length: count }, (_, n) => first + n),
    /** How long webhooks are sent, in seconds. */
    loadS: wholeNumber('--seconds', values.seconds, 0),
    /** Webhooks a second. */
    rate: wholeNumber('--rate', values.rate),
    /** The kinds of faults; null: all. */
    faults,
  };
}
