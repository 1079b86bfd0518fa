import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

export interface BenchResult {
  /** The settings of the servers, as the servers report them. */
  settings: Record<string, string>;
  rows: Record<string, string | number>[];
}

/** Prints a table and writes the same as JSON under `.bench/`. Fails the benchmark if events were lost or duplicated. */
export function report(name: string, { settings, rows }: BenchResult): void {
  const machine = { cores: cpus().length, node: process.version };
  for (const [key, value] of Object.entries({ ...machine, ...settings })) console.log(`${key}: ${value}`);
  console.log(markdown(rows));
  mkdirSync('.bench', { recursive: true });
  const file = `.bench/${name}-${new Date().toISOString().replaceAll(':', '-')}.json`;
  writeFileSync(file, `${JSON.stringify({ name, machine, settings, rows }, null, 2)}\n`);
  console.log(`written to ${file}`);
  const wrong = rows.filter(({ lost = 0, duplicated = 0 }) => Number(lost) + Number(duplicated) > 0);
  if (wrong.length === 0) return;
  console.error(`FAILED: events were lost or delivered twice:\n${markdown(wrong)}`);
  process.exitCode = 1;
}

/** A Markdown table with the columns of all rows. */
export function markdown(rows: Record<string, string | number>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((column) => row[column] ?? ''))),
  ].join('\n');
}

/** The value below which the share `p` of the sorted values lies. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN;
}

export const ms = (value: number) => (Number.isNaN(value) ? '' : value.toFixed(1));
