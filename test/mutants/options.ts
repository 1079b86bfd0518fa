import { parseArgs } from 'node:util';
import { wholeNumber } from '../support/whole-number.ts';
import { seed as committedSeed } from './draw.ts';

export const usage = `npm run mutants -- [--only N,M,…] [--from N] [--to M] [--out FILE] [--compare FILE] [--minutes 10]
npm run mutants -- --list
npm run mutants -- --draw [--seed ${committedSeed}]`;

/**
 * Reads the arguments of the command.
 *
 * @throws Error that says what is wrong
 */
export function readOptions(args: readonly string[]) {
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
  const only = values.only?.split(',').map((number) => wholeNumber('--only', number)) ?? null;
  const from = wholeNumber('--from', values.from);
  const to = values.to === undefined ? Number.POSITIVE_INFINITY : wholeNumber('--to', values.to);
  return {
    does: values.draw ? ('draw' as const) : values.list ? ('list' as const) : ('run' as const),
    /** The seed of `--draw`. */
    seed: values.seed === undefined ? committedSeed : wholeNumber('--seed', values.seed),
    /** Whether a mutant of this number is wanted. */
    wants: (number: number) => number >= from && number <= to && (only === null || only.includes(number)),
    /** Where the results are written, and read from to resume a run; null: nowhere. */
    out: values.out ?? null,
    /** The results of a run before; null: nothing is compared. */
    compare: values.compare ?? null,
    /** The limit of each run of tests, in milliseconds. */
    limitMs: wholeNumber('--minutes', values.minutes) * 60_000,
  };
}
export type MutantsCommand = ReturnType<typeof readOptions>;
