import { randomInt } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { pidsWhere } from '../../src/embedded/os-process.ts';
import { runCommand } from '../../src/embedded/run-command.ts';
import { defaultCacheDir, findTemporalProgram } from '../../src/embedded/temporal-program.ts';
import { eventually, onProgress, startErrorOf, temporaryFolder } from './helpers.ts';

const timeout = 60_000;
const machine = { cacheHome: process.env.XDG_CACHE_HOME ?? null, home: process.env.HOME ?? null };
const program = await findTemporalProgram({ path: '', cacheDir: defaultCacheDir(machine), onProgress });

/** A port where nobody listens: no download gets through, also where there is an internet. */
beforeEach(() => {
  for (const name of ['HTTPS_PROXY', 'https_proxy']) vi.stubEnv(name, 'http://127.0.0.1:9');
  return () => vi.unstubAllEnvs();
});

function folderWith(name: string, content: string | null): string {
  const folder = temporaryFolder();
  if (content === null) copyFileSync(program, join(folder, name));
  else writeFileSync(join(folder, name), content, { mode: 0o755 });
  return folder;
}

/** Stands for Go: what matters here is what becomes of the program that it puts into GOBIN. */
const goThatBuilds = `#!/bin/sh\nsleep 0.2\ncp ${program} "$GOBIN/temporal"\n`;
const inCache = (cacheDir: string) => join(cacheDir, 'temporal-1.5.1', 'temporal');

test('the one on PATH comes first', { timeout }, async () => {
  const folder = folderWith('temporal', null);
  const cacheDir = temporaryFolder();
  const path = `/nowhere:relative::${folder}`;
  expect(await findTemporalProgram({ path, cacheDir, onProgress })).toBe(join(folder, 'temporal'));
  expect(readdirSync(cacheDir)).toEqual([]);
});

test('what is called temporal on PATH and is not, is passed over for the cached one', { timeout }, async () => {
  const folder = folderWith('temporal', '#!/bin/sh\necho temporal version 0.1\n');
  const cacheDir = temporaryFolder();
  mkdirSync(join(cacheDir, 'temporal-1.5.1'));
  copyFileSync(program, inCache(cacheDir));
  expect(await findTemporalProgram({ path: folder, cacheDir, onProgress })).toBe(inCache(cacheDir));
});

test('a damaged one in the cache is built anew, with progress told', { timeout }, async () => {
  const cacheDir = temporaryFolder();
  mkdirSync(join(cacheDir, 'temporal-1.5.1'));
  writeFileSync(inCache(cacheDir), '\x7fELF, half of it', { mode: 0o755 });
  const lines: string[] = [];
  const path = folderWith('go', goThatBuilds);
  const found = await findTemporalProgram({ path, cacheDir, onProgress: (line) => lines.push(line) });
  expect(found).toBe(inCache(cacheDir));
  expect(lines.join('\n')).toContain('Building Temporal with Go');
  expect(readdirSync(join(cacheDir, 'temporal-1.5.1'))).toEqual(['temporal']);
});

test('two gateways may build at once', { timeout }, async () => {
  const cacheDir = temporaryFolder();
  const path = folderWith('go', goThatBuilds);
  const found = await Promise.all([1, 2].map(() => findTemporalProgram({ path, cacheDir, onProgress })));
  expect(new Set(found)).toEqual(new Set([inCache(cacheDir)]));
  expect(readdirSync(join(cacheDir, 'temporal-1.5.1'))).toEqual(['temporal']);
});

test('without program, network and Go the ways out are told, soon', { timeout: 25_000 }, async () => {
  const cacheDir = temporaryFolder();
  const message = await startErrorOf(() => findTemporalProgram({ path: '', cacheDir, onProgress }));
  for (const part of ['temporal CLI', 'PATH', 'Go 1.23', 'TEMPORAL_ADDRESS', 'download:', 'no Go on PATH'])
    expect(message).toContain(part);
  expect(readdirSync(join(cacheDir, 'temporal-1.5.1'))).toEqual([]);
  expect(await pidsWhere((command) => command.includes(cacheDir))).toEqual([]);
});

test('a build that fails is told with its reason', { timeout }, async () => {
  const path = folderWith('go', '#!/bin/sh\necho "go: no route to module proxy" >&2\nexit 1\n');
  const message = await startErrorOf(() => findTemporalProgram({ path, cacheDir: temporaryFolder(), onProgress }));
  expect(message).toContain('no route to module proxy');
});

test('a build that is interrupted ends with all that it started', { timeout }, async () => {
  const cacheDir = temporaryFolder();
  // No other test run on this machine sleeps that long.
  const sleeps = `sleep ${randomInt(100_000, 1_000_000)}`;
  const path = folderWith('go', `#!/bin/sh\n( ${sleeps} ) &\n${sleeps}\n`);
  const interrupt = new AbortController();
  const onBuild = (line: string) => {
    if (line.startsWith('Building')) setTimeout(() => interrupt.abort(), 300);
  };
  const message = await startErrorOf(() =>
    findTemporalProgram({ path, cacheDir, onProgress: onBuild, signal: interrupt.signal }),
  );
  expect(message).toContain('interrupted');
  // The kernel takes a moment to clear away what has just ended.
  await eventually(async () => (await pidsWhere((command) => command === sleeps)).length === 0);
  expect(existsSync(inCache(cacheDir))).toBe(false);
});

test('a command that takes too long is ended, and one that is not there is data', { timeout }, async () => {
  expect(await runCommand('sleep', ['4712'], { limitMs: 200 })).toEqual({
    ok: false,
    reason: 'it took longer than 0 s',
  });
  expect(await runCommand('/nowhere/at-all', [], { limitMs: 200 })).toMatchObject({ ok: false });
});

test('the cache is where the system keeps caches', async () => {
  expect(defaultCacheDir({ cacheHome: '/c', home: '/h' })).toBe('/c/webhook-gateway');
  expect(defaultCacheDir({ cacheHome: 'relative', home: '/h' })).toBe('/h/.cache/webhook-gateway');
  expect(await startErrorOf(() => defaultCacheDir({ cacheHome: null, home: null }))).toContain('TEMPORAL_ADDRESS');
});
