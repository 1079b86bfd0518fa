import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createLog } from '../../src/shared/log.ts';
import { bundleWorkflows } from '../../src/temporal/workflow-bundle.ts';

const log = createLog('silent');

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'workflow-bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Bundles hold the paths and the order of their modules, not their time: equal inputs give equal code. */
const bundled = () => inject('workflowCode');

test('a bundle is made once and cached; a truncated bundle is made again', async () => {
  const cacheDir = join(emptyFolder(), 'not', 'there', 'yet');
  expect((await bundleWorkflows({ cacheDir, log })).code).toBe(bundled());
  const [name = '', ...others] = readdirSync(cacheDir);
  expect(others).toEqual([]);
  const file = join(cacheDir, name);
  const whole = readFileSync(file, 'utf8');

  // A recognisable bundle with the right checksum: a start uses it without bundling.
  const code = 'from the cache';
  writeFileSync(file, `// sha256 ${createHash('sha256').update(code).digest('hex')}\n${code}`);
  expect(await bundleWorkflows({ cacheDir, log })).toEqual({ code });

  writeFileSync(file, whole.slice(0, -10));
  expect((await bundleWorkflows({ cacheDir, log })).code).toBe(bundled());
  expect(readFileSync(file, 'utf8')).toBe(whole);
});

test('without a writable cache the code is bundled at each start', async () => {
  const notAFolder = join(emptyFolder(), 'file');
  writeFileSync(notAFolder, '');
  expect((await bundleWorkflows({ cacheDir: notAFolder, log })).code).toBe(bundled());
});
