import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { folderForTest } from '../folder-for-test.ts';
import { cleanEnvironment } from '../gateway-process.ts';
import { secretText } from '../secrets.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const quoted = (file: string) => JSON.stringify(join(root, 'test/support', file));

const config = `export default { test: {
  pool: 'forks', isolate: false, experimental: { viteModuleRunner: false, nodeLoader: false },
  setupFiles: [${quoted('leaks/setup.ts')}],
} };`;
const file = `import { afterAll, test } from 'vitest';
import { gatewaysEndWithTheirTest, temporaryFolder } from ${quoted('gateway-process.ts')};
import { watch } from ${quoted('leaks/watch.ts')};
gatewaysEndWithTheirTest();
afterAll(() => { throw new Error('a hook has failed'); });
test('one', () => {
  temporaryFolder();
  watch('a log', ${JSON.stringify(secretText('leaked'))});
});`;

test('a file whose hook fails reports its leaks, and removes its folders', async () => {
  const folder = folderForTest();
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'vitest.config.mjs'), config);
  writeFileSync(join(folder, 'one.test.ts'), file);
  const { exitCode, all } = await execa(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run'], {
    ...{ cwd: folder, all: true, reject: false, extendEnv: false },
    env: { ...cleanEnvironment(), TMPDIR: temporary, CI: 'true' },
  });
  expect(all).toContain('a hook has failed');
  expect(all).toContain('a secret of the tests stands in: a log');
  expect(exitCode).toBe(1);
  expect(readdirSync(temporary).filter((name) => name.startsWith('gateway-process-'))).toEqual([]);
});
