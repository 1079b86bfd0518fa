import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderForTest } from '../support/folder-for-test.ts';

const script = fileURLToPath(new URL('../../.ci/failures.mjs', import.meta.url));

function printed(testResults: unknown[]) {
  const folder = folderForTest();
  const file = join(folder, 'results.json');
  writeFileSync(file, JSON.stringify({ testResults }));
  const { stdout, status } = spawnSync(process.execPath, [script, file], { cwd: '/', encoding: 'utf8' });
  expect(status).toBe(0);
  return stdout;
}

const passed = { fullName: 'a case that passed', status: 'passed', failureMessages: [] };

test('lists each failed test with its error, and no test that passed', () => {
  const failed = { fullName: 'a case that failed', status: 'failed', failureMessages: ['expected 1 to be 2', 'later'] };
  const text = printed([{ name: '/test/a.test.ts', status: 'failed', assertionResults: [passed, failed] }]);
  expect(text).toBe('== FAILED test/a.test.ts: a case that failed\n    expected 1 to be 2\n');
});

test('lists a file that could not be loaded', () => {
  const text = printed([
    { name: '/test/b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    { name: '/test/c.test.ts', status: 'passed', message: '', assertionResults: [passed] },
  ]);
  expect(text).toBe('== FAILED test/b.test.ts\n    no such module\n');
});
