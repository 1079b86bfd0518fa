import { randomInt } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { pidsWhere } from '../../src/embedded/os-process.ts';
import { runCommand } from '../../src/embedded/run-command.ts';
import { buildTemporalFrom } from '../../src/embedded/temporal-build.ts';
import { defaultCacheDir, findTemporalProgram } from '../../src/embedded/temporal-program.ts';
import { lacks } from '../support/may-skip/list.ts';
import { until } from '../support/until.ts';
import { onProgress, startErrorOf, temporaryFolder } from './helpers.ts';

const machine = { cacheHome: process.env.XDG_CACHE_HOME ?? null, home: process.env.HOME ?? null };
const program = await findTemporalProgram({ path: '', cacheDir: defaultCacheDir(machine), onProgress });

/** The folder with one copy of the program (250 MB). The tests use hard links to it. */
const ours = mkdtempSync(join(tmpdir(), 'gateway-embedded-'));
copyFileSync(program, join(ours, 'temporal'));
afterAll(() => rmSync(ours, { recursive: true }));
const linkProgram = (path: string) => linkSync(join(ours, 'temporal'), path);

/** Downloads go to a proxy at a closed port and fail, even on a machine with internet access. */
beforeEach(() => {
  for (const name of ['HTTPS_PROXY', 'https_proxy']) vi.stubEnv(name, 'http://127.0.0.1:9');
  return () => vi.unstubAllEnvs();
});

function folderWith(name: string, content: string | null): string {
  const folder = temporaryFolder();
  if (content === null) linkProgram(join(folder, name));
  else writeFileSync(join(folder, name), content, { mode: 0o755 });
  return folder;
}

/** A fake `go` that writes the built program to the file after -o. */
const goThatBuilds = (built = join(ours, 'temporal')) =>
  `#!/bin/sh\nsleep 0.2\nwhile [ "$1" != -o ]; do shift; done\nln ${built} "$2"\n`;
/** A program that reports a version and has the options that the gateway uses. */
const ofVersion = (version: string) =>
  `#!/bin/sh\necho 'temporal version ${version} (Server 1.29.1, UI 2.42.1)'\necho --sqlite-pragma --dynamic-config-value --search-attribute --ui-port\n`;
const inCache = (cacheDir: string) => join(cacheDir, 'temporal-1.5.1', 'temporal');

test('the program on PATH is used first', async () => {
  const folder = folderWith('temporal', null);
  const cacheDir = temporaryFolder();
  const path = `/nowhere:relative::${folder}`;
  expect(await findTemporalProgram({ path, cacheDir, onProgress })).toBe(join(folder, 'temporal'));
  expect(readdirSync(cacheDir)).toEqual([]);
});

function cacheWith(content: string | null): string {
  const cacheDir = temporaryFolder();
  mkdirSync(join(cacheDir, 'temporal-1.5.1'));
  if (content === null) linkProgram(inCache(cacheDir));
  else writeFileSync(inCache(cacheDir), content, { mode: 0o755 });
  return cacheDir;
}

/** The kernel needs a moment to remove processes that have just been killed. */
const nothingRuns = (fits: (command: string) => boolean) =>
  until('no such process runs', async () => (await pidsWhere(fits)).length === 0);

/** Of this process only: another run on the machine may have the same tests. */
const endless = `sleep ${randomInt(100_000, 1_000_000)}`;

test.each([
  ['an older version', ofVersion('1.4.9'), 'is version 1.4.9, older than 1.5.1'],
  ['a pre-release of the oldest supported version', ofVersion('1.5.1-rc.1'), 'is version 1.5.1-rc.1, older than 1.5.1'],
  ['a build of Go without a version', ofVersion('0.0.0-DEV'), 'is version 0.0.0-DEV, older than 1.5.1'],
  ['another program', '#!/bin/sh\necho temporal reasoning 2\n', 'reports no version, but: temporal reasoning 2'],
  ['a program without the server', '#!/bin/sh\necho temporal version 1.6.0\n', 'has no server with --sqlite-pragma'],
  ['a program that fails', '#!/bin/sh\necho no such profile >&2\nexit 3\n', 'does not run: no such profile'],
  ['a program for another machine', '\x7fELF, half of it', 'does not run: '],
  [
    'a program with endless output',
    '#!/bin/sh\nexec yes "$(printf \'\\033[2Jgarbage\')"\n',
    'does not run: its output does not end',
  ],
  [
    'a program that hangs and ignores SIGTERM',
    `#!/bin/sh\ntrap '' TERM\n${endless}\n`,
    'does not run: it took longer than 10 s',
  ],
])('%s on PATH is skipped for the cached program, and the start says why', async (_, content, reason) => {
  const folder = folderWith('temporal', content);
  const cacheDir = cacheWith(null);
  const lines: string[] = [];
  const found = await findTemporalProgram({ path: folder, cacheDir, onProgress: (line) => lines.push(line) });
  expect(found).toBe(inCache(cacheDir));
  expect(lines).toEqual([expect.stringContaining(`Not using ${join(folder, 'temporal')}: it `)]);
  expect(lines[0]).toContain(reason);
  expect(lines[0]).toMatch(/^[\x20-\x7e]+$/);
  await nothingRuns((command) => command.includes(folder) || command === endless);
});

test('a folder and a file that is not executable are ignored on PATH', async () => {
  const notExecutable = folderWith('temporal', ofVersion('1.6.0'));
  chmodSync(join(notExecutable, 'temporal'), 0o644);
  const isFolder = temporaryFolder();
  mkdirSync(join(isFolder, 'temporal'));
  const cacheDir = cacheWith(null);
  const lines: string[] = [];
  const path = `${notExecutable}:${isFolder}`;
  expect(await findTemporalProgram({ path, cacheDir, onProgress: (line) => lines.push(line) })).toBe(inCache(cacheDir));
  expect(lines).toEqual([]);
});

test('a newer program on PATH is used, even after an older one', async () => {
  const [older, newer] = [folderWith('temporal', ofVersion('1.0.0')), folderWith('temporal', ofVersion('1.10.0'))];
  const found = await findTemporalProgram({ path: `${older}:${newer}`, cacheDir: temporaryFolder(), onProgress });
  expect(found).toBe(join(newer, 'temporal'));
});

test('a cached program of another version, older or newer, is replaced', async () => {
  for (const version of ['1.5.0', '1.6.0']) {
    const cacheDir = cacheWith(ofVersion(version));
    const path = folderWith('go', goThatBuilds());
    expect(await findTemporalProgram({ path, cacheDir, onProgress })).toBe(inCache(cacheDir));
    expect(readFileSync(inCache(cacheDir)).equals(readFileSync(program))).toBe(true);
  }
});

test('a downloaded program of another version is not cached, and the error names its version', async () => {
  const arrives = join(folderWith('other', ofVersion('1.6.0')), 'other');
  const path = folderWith('go', goThatBuilds(arrives));
  const cacheDir = temporaryFolder();
  const message = await startErrorOf(() => findTemporalProgram({ path, cacheDir, onProgress }));
  expect(message).toContain('build with Go: the program was discarded: it is version 1.6.0, not 1.5.1');
  expect(readdirSync(join(cacheDir, 'temporal-1.5.1'))).toEqual([]);
});

test.skipIf(lacks('go'))('Go refuses source whose hash is not the one in go.sum', { timeout: 300_000 }, async () => {
  // Go may have to fetch the module first.
  vi.unstubAllEnvs();
  const module = new URL('../../src/embedded/temporal-cli/', import.meta.url);
  const folder = temporaryFolder();
  copyFileSync(new URL('go.mod', module), join(folder, 'go.mod'));
  const sums = readFileSync(new URL('go.sum', module), 'utf8');
  const cli = /^github\.com\/temporalio\/cli v1\.5\.1 h1:\S+$/m;
  expect(sums).toMatch(cli);
  const other = `github.com/temporalio/cli v1.5.1 h1:${Buffer.alloc(32, 7).toString('base64')}`;
  const build = () =>
    buildTemporalFrom(folder, { folder: temporaryFolder(), path: process.env.PATH ?? '', onProgress });
  writeFileSync(join(folder, 'go.sum'), sums.replace(cli, other));
  expect(await build()).toMatchObject({ ok: false, reason: expect.stringContaining('checksum mismatch') });
  // A module without a hash in go.sum is refused, and not looked up elsewhere.
  writeFileSync(join(folder, 'go.sum'), sums.replace(cli, ''));
  expect(await build()).toMatchObject({ ok: false, reason: expect.stringContaining('missing go.sum entry') });
});

test('a damaged program in the cache is built again, with progress messages', async () => {
  const cacheDir = temporaryFolder();
  mkdirSync(join(cacheDir, 'temporal-1.5.1'));
  writeFileSync(inCache(cacheDir), '\x7fELF, half of it', { mode: 0o755 });
  const lines: string[] = [];
  const path = folderWith('go', goThatBuilds());
  const found = await findTemporalProgram({ path, cacheDir, onProgress: (line) => lines.push(line) });
  expect(found).toBe(inCache(cacheDir));
  expect(lines.join('\n')).toContain('Building Temporal with Go');
  expect(readdirSync(join(cacheDir, 'temporal-1.5.1'))).toEqual(['temporal']);
});

test('two gateways can build at the same time', async () => {
  const cacheDir = temporaryFolder();
  const path = folderWith('go', goThatBuilds());
  const found = await Promise.all([1, 2].map(() => findTemporalProgram({ path, cacheDir, onProgress })));
  expect(new Set(found)).toEqual(new Set([inCache(cacheDir)]));
  expect(readdirSync(join(cacheDir, 'temporal-1.5.1'))).toEqual(['temporal']);
});

test('without program, network and Go the start fails soon and lists the remedies', { timeout: 60_000 }, async () => {
  const cacheDir = temporaryFolder();
  const message = await startErrorOf(() => findTemporalProgram({ path: '', cacheDir, onProgress }));
  for (const part of [
    'temporal CLI',
    'PATH',
    '1.5.1 or newer',
    'Go 1.25',
    'TEMPORAL_ADDRESS',
    'download:',
    'no Go on PATH',
  ])
    expect(message).toContain(part);
  expect(readdirSync(join(cacheDir, 'temporal-1.5.1'))).toEqual([]);
  await nothingRuns((command) => command.includes(cacheDir));
});

test('a cache that cannot be made is named, with the setting that moves it', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const message = await startErrorOf(() =>
    findTemporalProgram({ path: '', cacheDir: join(file, 'cache'), onProgress }),
  );
  for (const part of [file, 'XDG_CACHE_HOME', 'TEMPORAL_ADDRESS']) expect(message).toContain(part);
  expect(message).not.toContain('install Go');
});

test('a failed build is reported with its reason', async () => {
  const path = folderWith('go', '#!/bin/sh\necho "go: no route to module proxy" >&2\nexit 1\n');
  const message = await startErrorOf(() => findTemporalProgram({ path, cacheDir: temporaryFolder(), onProgress }));
  expect(message).toContain('no route to module proxy');
});

test('an interrupted build ends with all processes that it started', async () => {
  const cacheDir = temporaryFolder();
  // A duration that no other test run on this machine uses, so that the process can be found by it.
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
  await nothingRuns((command) => command === sleeps);
  expect(existsSync(inCache(cacheDir))).toBe(false);
});

test('a command that takes too long is killed; a missing command does not throw', async () => {
  expect(await runCommand('sleep', ['4712'], { limitMs: 200 })).toEqual({
    ok: false,
    reason: 'it took longer than 0 s',
    output: '',
  });
  expect(await runCommand('/nowhere/at-all', [], { limitMs: 200 })).toMatchObject({ ok: false });
});

test('the cache is in the cache folder of the system', async () => {
  expect(defaultCacheDir({ cacheHome: '/c', home: '/h' })).toBe('/c/webhook-gateway');
  expect(defaultCacheDir({ cacheHome: 'relative', home: '/h' })).toBe('/h/.cache/webhook-gateway');
  expect(await startErrorOf(() => defaultCacheDir({ cacheHome: null, home: null }))).toContain('TEMPORAL_ADDRESS');
});
