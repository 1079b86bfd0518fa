import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderForTest } from '../support/folder-for-test.ts';
import { readDrawn } from './drawn.ts';
import { idOf } from './mutant.ts';
import { readOptions } from './options.ts';
import { comparisonTable, sharesTable, survivors } from './report.ts';
import { isWorse, type Judged, readResults, survivorsOfBoth, writeResults } from './results.ts';
import { failedIn } from './run-tests.ts';

const { mutants } = readDrawn();

/** The first mutants with these statuses. */
const judged = (...statuses: Judged['result']['status'][]): Judged[] =>
  mutants.slice(0, statuses.length).flatMap((mutant, index) => {
    const status = statuses[index];
    if (status === undefined) return [];
    return [{ mutant, result: { id: idOf(mutant), number: mutant.number, status, seconds: 1 } }];
  });

test('results are read as they were written, and a file that is missing has none', () => {
  const folder = folderForTest();
  const path = join(folder, 'results.json');
  expect(readResults(path)).toEqual(new Map());
  const results = judged('killed', 'survived').map(({ result }) => result);
  writeResults(path, results.toReversed());
  expect([...readResults(path).values()]).toEqual(results);
});

test('a mutant that was killed and survives is worse', () => {
  const before = new Map(judged('killed', 'survived', 'survived', 'killed').map(({ result }) => [result.id, result]));
  const rows = survivorsOfBoth(judged('survived', 'killed', 'survived', 'killed'), before);
  expect(rows.map(({ mutant, before: was, now }) => [mutant.number, was, now])).toEqual([
    [1, 'killed', 'survived'],
    [2, 'survived', 'killed'],
    [3, 'survived', 'survived'],
  ]);
  expect(rows.map(isWorse)).toEqual([true, false, false]);
  expect(comparisonTable(rows)).toContain('| killed | survived: WORSE |');
});

test('the report counts each status by share and lists the survivors', () => {
  const all = judged('killed', 'survived', 'gone');
  expect(sharesTable(all)).toContain('| src/events/transitions | 1 | 1 | 1 | 0 | 0 |');
  expect(survivors(all)).toContain(`2. ${mutants[1]?.file}:${mutants[1]?.line}`);
});

test('--only, --from and --to choose mutants, and wrong arguments are refused', () => {
  const chosen = (args: string[]) => mutants.map(({ number }) => number).filter(readOptions(args).wants);
  expect(chosen([])).toHaveLength(100);
  expect(chosen(['--only', '3,17'])).toEqual([3, 17]);
  expect(chosen(['--from', '98'])).toEqual([98, 99, 100]);
  expect(chosen(['--from', '2', '--to', '3'])).toEqual([2, 3]);
  for (const args of [['--only', 'x'], ['--minutes', '0'], ['--list', '--draw'], ['--seed', '2'], ['--all']])
    expect(() => readOptions(args), args.join(' ')).toThrow();
});

test('a file that Vitest has not started because of an earlier failure has not failed', () => {
  const file = (name: string, message: string, ...statuses: string[]) => ({
    ...{ name: `/copy/${name}`, status: 'failed', message },
    assertionResults: statuses.map((status, n) => ({ fullName: `test ${n}`, status })),
  });
  const testResults = [file('a.ts', '', 'passed', 'failed'), file('b.ts', ''), file('c.ts', 'no such file\nat c.ts:1')];
  expect(failedIn('/copy', JSON.stringify({ testResults }))).toEqual([
    { file: 'a.ts', test: 'test 1' },
    { file: 'c.ts', test: 'no such file' },
  ]);
});
