import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderForTest } from '../support/folder-for-test.ts';

const script = fileURLToPath(new URL('../../.ci/duration.mjs', import.meta.url));

/** Runs the script on files that began and ended at these seconds. */
function judged(...files: [beganS: number, endedS: number][]) {
  const folder = folderForTest();
  const results = join(folder, 'results.json');
  const testResults = files.map(([began, ended]) => ({ startTime: began * 1000, endTime: ended * 1000 }));
  writeFileSync(results, JSON.stringify({ testResults }));
  const { status, stdout } = spawnSync(process.execPath, [script, results], { encoding: 'utf8' });
  return { status, stdout };
}

test('the time is that from the first test to the last, in any order of the files', () => {
  expect(judged([100, 130], [40, 60], [90, 400])).toEqual({
    status: 0,
    stdout: '== The tests took 360 s from the first to the last (at most 4200 s)\n',
  });
});

test('a run that takes too long fails', () => {
  expect(judged([0, 4200]).status).toBe(0);
  expect(judged([0, 4201]).status).toBe(1);
});
