import { expect, test } from 'vitest';
import { statementRows } from './cost/statements.ts';

const statement = (text: string, calls: number, ms: number) => ({ id: text.slice(0, 12), statement: text, calls, ms });

test('statements are shown for 1,000 events, first the one whose time grows most', () => {
  const rows = statementRows(
    [
      {
        apis: 1,
        events: 2_000,
        statements: [statement('select steady', 2_000, 400), statement('select grows', 10, 2)],
      },
      { apis: 4, events: 500, statements: [statement('select grows', 80, 40), statement('select steady', 500, 100)] },
    ],
    10,
  );
  expect(rows).toEqual([
    {
      'statement, for 1,000 events': 'select grows',
      ...{ 'calls, 1 api': '5.0', 'ms, 1 api': '1.0', 'calls, 4 api': '160.0', 'ms, 4 api': '80.0' },
    },
    {
      'statement, for 1,000 events': 'select steady',
      ...{ 'calls, 1 api': '1000.0', 'ms, 1 api': '200.0', 'calls, 4 api': '1000.0', 'ms, 4 api': '200.0' },
    },
  ]);
});

test('a statement that one number of apis does not need is zero there, and a long one is shortened', () => {
  const long = `select a || b from ${'t'.repeat(100)}`;
  const [row] = statementRows(
    [
      { apis: 1, events: 1_000, statements: [] },
      { apis: 2, events: 1_000, statements: [statement(long, 3, 1)] },
    ],
    1,
  );
  expect(row).toMatchObject({ 'calls, 1 api': '0.0', 'ms, 1 api': '0.0', 'calls, 2 api': '3.0' });
  expect(row?.['statement, for 1,000 events']).toMatch(/^select a \\\|\\\| b from t+…$/);
});
