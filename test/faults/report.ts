import { isDead, isExhausted } from './rows.ts';
import type { SeedResult } from './run-seed.ts';

const columns: [string, (result: SeedResult) => string | number][] = [
  ['seed', ({ seed }) => seed],
  ['faults', ({ faults }) => counted(faults.map(({ kind }) => kind))],
  ['acknowledged', ({ webhooks }) => webhooks.filter(({ eventId }) => eventId !== null).length],
  ['events', ({ rows }) => rows.events.length],
  ['delivered', ({ rows }) => rows.events.filter(({ deliveryStatus }) => deliveryStatus === 'delivered').length],
  ['exhausted', ({ rows }) => rows.events.filter(isExhausted).length],
  ['cancelled', ({ rows }) => rows.events.filter(isDead).length],
  ['refused (503 / connection)', refusals],
  ['attempts', ({ rows }) => rows.attempts.length],
  ['duplicates (explained / unexplained)', ({ duplicates: d }) => `${d.explained} / ${d.unexplained}`],
  ['repeated within an attempt', ({ duplicates }) => duplicates.repeated],
  ['notifications', ({ notices }) => notices],
  ['last delivery after the faults, s', ({ recoveryS }) => recoveryS.toFixed(1)],
  ['settled after the faults, s', ({ settledS }) => settledS.toFixed(1)],
  ['seconds', ({ seconds }) => Math.round(seconds)],
  ['verdict', ({ failures }) => (failures.length === 0 ? 'passed' : 'FAILED')],
];

function refusals({ webhooks }: SeedResult): string {
  const refused = webhooks.flatMap(({ refused: each }) => each);
  const others = refused.filter((status) => status !== null && status !== 503);
  const [unavailable, broken] = [503, null].map((status) => refused.filter((each) => each === status).length);
  return `${unavailable} / ${broken}${others.length > 0 ? ` / other: ${counted(others.map(String))}` : ''}`;
}

/** Such as `2 kill-worker, 1 cut-postgres`. */
function counted(names: readonly string[]): string {
  return [...Map.groupBy(names, (name) => name)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, those]) => `${those.length} ${name}`)
    .join(', ');
}

/** A line of a Markdown table. */
export const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

/** The Markdown table of a run, a row per seed. */
export const table = (results: readonly SeedResult[]): string =>
  [
    line(columns.map(([name]) => name)),
    line(columns.map(() => '---')),
    ...results.map((result) => line(columns.map(([, value]) => value(result)))),
  ].join('\n');
