import type { BenchResult } from '../report.ts';
import type { Figures, Measured } from './figures.ts';

/** The figures that are compared, as rows of the table. */
const compared: Record<string, (figures: Figures) => number | null | undefined> = {
  'acks/s': (figures) => figures.acksPerS,
  'ack p50 ms': (figures) => figures.ackP50Ms,
  'ack p99 ms': (figures) => figures.ackP99Ms,
  'events/s': (figures) => figures.eventsPerS,
  'end to end p50 ms': (figures) => figures.p50Ms,
  'end to end p99 ms': (figures) => figures.p99Ms,
  'CPU ms/event gateway': (figures) => figures.cpu?.gateway,
  'CPU ms/event PostgreSQL': (figures) => figures.cpu?.database,
  'CPU ms/event Temporal': (figures) => figures.cpu?.engine,
  'bare exchange/s': (figures) => figures.barePerS,
};

/** The same scenario of both gateways. */
export interface Pair {
  scenario: string;
  ours: Figures;
  theirs: Figures;
}

/** What the table calls the gateways. */
interface Names {
  ours: string;
  theirs: string;
}

/** The scenarios that both have run. */
export function pairUp(ours: Measured[], theirs: Measured[]): Pair[] {
  return ours.flatMap(({ scenario, figures }, n) => {
    const other = theirs[n];
    return other ? [{ scenario, ours: figures, theirs: other.figures }] : [];
  });
}

/** A row for each figure of each scenario: the medians of both, and of their ratios. */
export const comparison = (pairs: readonly Pair[], names: Names): BenchResult['rows'] =>
  Object.values(Object.groupBy(pairs, ({ scenario }) => scenario)).flatMap((all) => rowsOf(all ?? [], names));

/** With the losses and duplicates of all runs of the scenario. */
function rowsOf(pairs: readonly Pair[], names: Names): BenchResult['rows'] {
  const both = pairs.flatMap(({ ours, theirs }) => [ours, theirs]);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return Object.entries(compared).flatMap(([figure, read]) => {
    const numbers = pairs.flatMap(({ ours, theirs }) => {
      const [our, their] = [read(ours), read(theirs)];
      return our == null || their == null ? [] : [{ our, their, ratio: our / their }];
    });
    if (numbers.length === 0) return [];
    const ratios = numbers.map(({ ratio }) => ratio);
    return {
      scenario: pairs[0]?.scenario ?? '',
      figure,
      [names.theirs]: short(median(numbers.map(({ their }) => their))),
      [names.ours]: short(median(numbers.map(({ our }) => our))),
      ratio: short(median(ratios)),
      'ratios from': short(Math.min(...ratios)),
      to: short(Math.max(...ratios)),
      lost: sum(both.map(({ lost }) => lost)),
      duplicated: sum(both.map(({ duplicated }) => duplicated)),
    };
  });
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** Three digits. */
export const short = (value: number) => Number(value.toPrecision(3));
