import { parseArgs } from 'node:util';
import { seed as committedSeed } from './draw.ts';

export const usage = `npm run mutants -- [--only N,M,…] [--from N] [--to M] [--out FILE] [--compare FILE] [--minutes 10]
npm run mutants -- --list
npm run mutants -- --draw [--seed ${committedSeed}]`;

export interface MutantsCommand {
  does: 'run' | 'list' | 'draw';
  /** The seed of `--draw`. */
  seed: number;
  /** Whether a mutant of this number is wanted. */
  wants(number: number): boolean;
  /** Where the results are written, and read from to resume a run; null: nowhere. */
  out: string | null;
  /** The results of a run before; null: nothing is compared. */
  compare: string | null;
  /** The limit of each run of tests, in milliseconds. */
  limitMs: number;
}

/**
 * Reads the arguments of the command.
 *
 * @throws Error that says what is wrong
 */
export function readOptions(args: readonly string[]): MutantsCommand {
  const { values } = parseArgs({
    args: [...args],
    options: {
      list: { type: 'boolean', default: false },
      draw: { type: 'boolean', default: false },
      seed: { type: 'string' },
      only: { type: 'string' },
      from: { type: 'string', default: '1' },
      to: { type: 'string' },
      out: { type: 'string' },
      compare: { type: 'string' },
      minutes: { type: 'string', default: '10' },
    },
  });
  if (values.list && values.draw) throw new Error('--list and --draw exclude each other');
  if (values.seed !== undefined && !values.draw) throw new Error('--seed is only for --draw');
  const only = values.only?.split(',').map((number) => whole('--only', number)) ?? null;
  const from = whole('--from', values.from);
  const to = values.to === undefined ? Number.POSITIVE_INFINITY : whole('--to', values.to);
  return {
    does: values.draw ? 'draw' : values.list ? 'list' : 'run',
    seed: values.seed === undefined ? committedSeed : whole('--seed', values.seed),
    wants: (number) => number >= from && number <= to && (only === null || only.includes(number)),
    out: values.out ?? null,
    compare: values.compare ?? null,
    limitMs: whole('--minutes', values.minutes) * 60_000,
  };
}

function whole(name: string, value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isSafeInteger(number) || number < 1)
    throw new Error(`${name} must be a whole number from 1, not '${value}'`);
  return number;
}
