import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { lacks } from '../support/may-skip/list.ts';

const script = `
  import { createLog } from ${JSON.stringify(fileURLToPath(new URL('../../src/shared/log.ts', import.meta.url)))};
  const log = createLog('info');
  for (const n of [1, 2, 3]) log.info({ n }, 'a line');
  console.log('went on');`;

/** Runs the script with this standard error. */
const run = (stderr: 'pipe' | number) =>
  spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', stderr],
    encoding: 'utf8',
  });

test('each line is a JSON object on standard error', () => {
  const { stdout, stderr } = run('pipe');
  expect(stdout).toBe('went on\n');
  const lines = stderr.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([1, 2, 3].map((n) => ({ level: 30, n, msg: 'a line' })));
});

test.skipIf(lacks('full device'))('a full disk for the log does not end the process', () => {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  expect(run(full)).toMatchObject({ stdout: 'went on\n', status: 0 });
});
