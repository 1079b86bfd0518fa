import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createLog } from '../../src/shared/log.ts';
import { bundleWorkflows, writeBuiltBundle } from '../../src/temporal/workflow-bundle.ts';
import { folderForTest } from '../support/folder-for-test.ts';

const log = createLog('silent');

/** Bundles hold the paths and the order of their modules, not their time: equal inputs give equal code. */
const bundled = () => inject('workflowCode');

/** A file that does not exist. */
const built = join(tmpdir(), 'no-such-folder', 'workflows.js');
/** The file of a bundle with other code and the right checksum: a start that uses it has not bundled anything. */
function withOtherCode(file: string, code: string): void {
  const [first = ''] = readFileSync(file, 'utf8').split('\n');
  const checksum = createHash('sha256').update(code).digest('hex');
  writeFileSync(file, `${first.replace(/[0-9a-f]{64}$/, checksum)}\n${code}`);
}

test('a start with a bundle from npm run build does not bundle, and writes nothing', async () => {
  const file = join(folderForTest(), 'build', 'workflows.js');
  await writeBuiltBundle(log, file);
  expect(await bundleWorkflows({ built: file, cacheDir: null, log })).toEqual({ code: bundled() });
  withOtherCode(file, 'from the build');
  const cacheDir = join(folderForTest(), 'cache');
  expect(await bundleWorkflows({ built: file, cacheDir, log })).toEqual({ code: 'from the build' });
  expect(existsSync(cacheDir)).toBe(false);
});

test('a bundle of other workflows, such as those before a change, is not used', async () => {
  const file = join(folderForTest(), 'workflows.js');
  await writeBuiltBundle(log, file);
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(/^\/\/ workflows [0-9a-f]{32}/, `// workflows ${'0'.repeat(32)}`),
  );
  expect((await bundleWorkflows({ built: file, cacheDir: null, log })).code).toBe(bundled());
});

test('a bundle is made once and cached; a truncated bundle is made again', async () => {
  const cacheDir = join(folderForTest(), 'not', 'there', 'yet');
  expect((await bundleWorkflows({ built, cacheDir, log })).code).toBe(bundled());
  const [name = '', ...others] = readdirSync(cacheDir);
  expect(others).toEqual([]);
  const file = join(cacheDir, name);
  const whole = readFileSync(file, 'utf8');

  // A recognisable bundle with the right checksum: a start uses it without bundling.
  withOtherCode(file, 'from the cache');
  expect(await bundleWorkflows({ built, cacheDir, log })).toEqual({ code: 'from the cache' });

  writeFileSync(file, whole.slice(0, -10));
  expect((await bundleWorkflows({ built, cacheDir, log })).code).toBe(bundled());
  expect(readFileSync(file, 'utf8')).toBe(whole);
});

test('without a writable cache the code is bundled at each start', async () => {
  const notAFolder = join(folderForTest(), 'file');
  writeFileSync(notAFolder, '');
  expect((await bundleWorkflows({ built, cacheDir: notAFolder, log })).code).toBe(bundled());
});
