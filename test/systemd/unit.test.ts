import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheDirOf } from '../../src/shared/cache-dir.ts';
import { folderForTest } from '../support/folder-for-test.ts';
import { lacks } from '../support/may-skip/list.ts';

const file = new URL('../../docs/systemd/webhook-gateway.service', import.meta.url);
const unit = readFileSync(file, 'utf8');

/** The result of `systemd-analyze verify` for a unit. Unknown settings give warnings, not failures. */
function verified(text: string): { status: number | null; said: string } {
  const folder = folderForTest();
  const copy = join(folder, 'webhook-gateway.service');
  writeFileSync(copy, text.replace('/usr/bin/npm', process.execPath));
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
}

test.skipIf(lacks('systemd'))('systemd accepts the unit of docs/systemd', () => {
  expect(verified(unit)).toEqual({ status: 0, said: '' });
  expect(verified(unit.replace('KillMode', 'KilMode')).said).toContain('KilMode');
});

test('the unit runs npm start, signals only npm, and waits longer than the 45 s of a graceful shutdown', () => {
  const settings = new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  expect(settings.get('ExecStart')).toMatch(/\/npm start$/);
  expect(settings.get('KillMode')).toBe('mixed');
  expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThan(45);
});

test('all programs keep their caches in the folder that the unit gives its user', () => {
  const folder = `/var/cache/${/^CacheDirectory=(.*)$/m.exec(unit)?.[1]}`;
  const variables = new Map(
    [...unit.matchAll(/(?<=^Environment=.*)\b(\w+)=(\/\S+)/gm)].map(([, name, path]) => [name, path]),
  );
  expect(cacheDirOf({ cacheHome: variables.get('XDG_CACHE_HOME') ?? null, home: null })).toBe(folder);
  // Go's defaults are below XDG_CACHE_HOME itself, and below a home.
  for (const name of ['npm_config_cache', 'GOCACHE', 'GOPATH'])
    expect(variables.get(name), name).toMatch(new RegExp(`^${folder}/`));
});
