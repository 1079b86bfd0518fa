import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderForTest } from '../support/folder-for-test.ts';

const script = fileURLToPath(new URL('../../.ci/gone-tests.mjs', import.meta.url));

type Results = Record<string, Record<string, string>>;

/** Compares two runs: tests by file, with their statuses. */
function compared(before: Results, after: Results) {
  const folder = folderForTest();
  const write = (run: string, results: Results) => {
    const testResults = Object.entries(results).map(([file, tests]) => ({
      name: `/checkout-${run}/test/${file}`,
      assertionResults: Object.entries(tests).map(([fullName, status]) => ({ fullName, status })),
    }));
    writeFileSync(join(folder, `${run}.json`), JSON.stringify({ testResults }));
    return join(folder, `${run}.json`);
  };
  const paths = [write('before', before), write('after', after)];
  const { status, stdout } = spawnSync(process.execPath, [script, ...paths], { encoding: 'utf8' });
  return { status, stdout };
}

test('without a test that is gone, says how many ran', () => {
  const { status, stdout } = compared(
    { 'a.test.ts': { one: 'passed' } },
    { 'a.test.ts': { one: 'failed', two: 'passed' } },
  );
  expect(stdout).toBe('1 tests ran before, 2 after; 1 are new\n');
  expect(status).toBe(0);
});

test('lists a test that is gone, that moved to another file, and that is skipped now', () => {
  const { status, stdout } = compared(
    { 'a.test.ts': { 'gone | away': 'passed', moved: 'passed', left: 'passed' }, 'b.test.ts': { kept: 'passed' } },
    { 'a.test.ts': { left: 'skipped' }, 'b.test.ts': { kept: 'passed', moved: 'passed' } },
  );
  expect(stdout.split('\n').filter((line) => line.startsWith('| test/'))).toEqual([
    '| test/a.test.ts | gone \\| away |  |',
    '| test/a.test.ts | moved | test/b.test.ts |',
    '| test/a.test.ts | left |  |',
  ]);
  expect(status).toBe(1);
});
