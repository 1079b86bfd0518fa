import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

// A worker imports a support file once, for the first of its test files that needs it: a hook at the top of the support file
// runs in that test file only. The files of `setupFiles` are imported again for each test file.
test('no support file registers a hook when it is imported', () => {
  const config = readFileSync(`${root}vitest.config.ts`, 'utf8');
  const registering = globSync('test/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts') && !config.includes(`'${file}'`))
    .filter((file) => /^(before|after|around)(All|Each)\(/m.test(readFileSync(`${root}${file}`, 'utf8')));
  expect(registering).toEqual([]);
});
