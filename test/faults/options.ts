import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { faultKinds } from './plan.ts';
import { defaultLoadS, defaultRate } from './settings.ts';

export const usage = `npm run faults -- [--seed N,M,…] [--seeds N] [--seconds ${defaultLoadS}] [--rate ${defaultRate}] [--faults ${faultKinds.join(',')}]`;

export interface FaultsCommand {
  seeds: number[];
  /** How long webhooks are sent, in seconds. */
  loadS: number;
  /** Webhooks a second. */
  rate: number;
  /** The kinds of faults; null: all. */
  faults: string[] | null;
}

/**
 * Reads the arguments of the command.
 *
 * @throws Error that says what is wrong
 */
export function readOptions(args: readonly string[]): FaultsCommand {
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
  const given = values.seed?.split(',').map((seed) => whole('--seed', seed, 0)) ?? [randomInt(1_000_000)];
  const [first = 0] = given;
  const count = whole('--seeds', values.seeds, 1);
  return {
    seeds: count === 1 ? given : Array.from({ length: count }, (_, n) => first + n),
    loadS: whole('--seconds', values.seconds, 0),
    rate: whole('--rate', values.rate, 1),
    faults,
  };
}

function whole(name: string, value: string, least: number): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isSafeInteger(number) || number < least)
    throw new Error(`${name} must be a whole number from ${least}, not '${value}'`);
  return number;
}
