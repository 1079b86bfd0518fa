import { line } from '../faults/report.ts';
import { inWords } from './mutant.ts';
import { type Comparison, isWorse, type Judged } from './results.ts';
import { shares } from './shares.ts';

const statuses = ['killed', 'survived', 'gone', 'invalid'] as const;

const tableOf = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');

/** A row per share, and one for all. */
export function sharesTable(judged: readonly Judged[]): string {
  const row = (name: string, those: readonly Judged[]) => [
    name,
    ...statuses.map((status) => those.filter(({ result }) => result.status === status).length),
    those.filter(({ result }) => result.by === 'timeout').length,
  ];
  return tableOf(
    ['share', ...statuses, 'killed by the time limit'],
    [
      ...shares.map(({ name }) =>
        row(
          name,
          judged.filter(({ mutant }) => mutant.share === name),
        ),
      ),
      row('all', judged),
    ],
  );
}

/** A line per survivor; empty if there is none. */
export const survivors = (judged: readonly Judged[]): string =>
  judged
    .filter(({ result }) => result.status === 'survived')
    .map(({ mutant }) => `${mutant.number}. ${inWords(mutant)}`)
    .join('\n');

/** The survivors of two runs. */
export const comparisonTable = (rows: readonly Comparison[]): string =>
  tableOf(
    ['mutant', 'change', 'before', 'now'],
    rows.map((row) => [
      row.mutant.number,
      `\`${inWords(row.mutant).replaceAll('|', '\\|')}\``,
      row.before,
      isWorse(row) ? `${row.now}: WORSE` : row.now,
    ]),
  );
