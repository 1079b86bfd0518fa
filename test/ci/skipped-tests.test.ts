import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { maySkip } from '../support/may-skip/list.ts';
import { reportOf } from '../support/may-skip/reporter.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const files = globSync('test/**/*.ts', { cwd: root }).sort();
const entries = Object.values(maySkip);

test('CONTRIBUTING.md lists each test that may be skipped', () => {
  const page = readFileSync(`${root}CONTRIBUTING.md`, 'utf8');
  const [, table = ''] = /^\| needs \| tests \| why.*\n\| --- \| --- \| --- \|\n((?:\|.*\n)+)/m.exec(page) ?? [];
  expect(table.trim().split('\n')).toEqual(
    entries.map(({ needs, tests, why }) => `| ${needs} | ${tests.map((path) => `\`${path}\``).join(', ')} | ${why} |`),
  );
});

test('each listed file exists, and the other test files skip nothing', () => {
  const listed = entries.flatMap(({ tests }) => tests);
  for (const path of listed)
    expect(
      files.some((file) => file.startsWith(path)),
      path,
    ).toBe(true);
  const skips = /\b(test|tests|describe)\.(skip|skipIf|runIf|todo|only)\b/;
  const skipping = files.filter(
    (file) => file.endsWith('.test.ts') && skips.test(readFileSync(`${root}${file}`, 'utf8')),
  );
  expect(skipping.filter((file) => !listed.some((path) => file.startsWith(path)) && file !== thisFile)).toEqual([]);
});
const thisFile = 'test/ci/skipped-tests.test.ts';

describe('the report at the end of a run', () => {
  test('fails for a skipped test of a file that is not in the list', () => {
    const { lines, unexpected } = reportOf([{ file: 'test/events/lists.test.ts', name: 'a list > is ordered' }]);
    expect(lines).toEqual(['FAILED: a test may not be skipped here: test/events/lists.test.ts > a list > is ordered']);
    expect(unexpected).toBe(true);
  });

  test.each(Object.entries(maySkip))('of a machine with or without it: %s', (_, { tests, needs, isHere }) => {
    const [path = ''] = tests;
    const file = path.endsWith('/') ? `${path}a.test.ts` : path;
    const { lines, unexpected } = reportOf([
      { file, name: 'one' },
      { file, name: 'two' },
    ]);
    expect(unexpected).toBe(isHere());
    if (!isHere()) expect(lines).toEqual([`2 tests skipped, which need ${needs}`]);
  });
});
