import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { relative } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { secretFiles } from '../../src/embedded/secret-files.ts';
import { temporaryFolder } from './helpers.ts';

/** Records what is renamed and synchronized below a folder, in its order. */
function recordedIn(folder: string): string[] {
  const calls: string[] = [];
  const { fsyncSync, renameSync } = fs;
  vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
    fsyncSync(descriptor);
    calls.push(`sync ${relative(folder, fs.readlinkSync(`/proc/self/fd/${descriptor}`))}`);
  });
  vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    renameSync(from, to);
    calls.push(`rename to ${relative(folder, String(to))}`);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  return calls;
}

test('a secret survives a power failure once it is written: file and folder are on the disk', () => {
  const folder = fs.realpathSync(temporaryFolder());
  const secrets = secretFiles(folder);
  const calls = recordedIn(folder);
  secrets.put('secrets-key', 'one');
  // The empty name is the data folder, which now has `secrets`.
  expect(calls.splice(0)).toEqual([
    'sync ',
    'sync secrets/secrets-key.new',
    'rename to secrets/secrets-key',
    'sync secrets',
  ]);
  secrets.put('secrets-key', 'two');
  expect(calls.splice(0)).toEqual(['sync secrets/secrets-key.new', 'rename to secrets/secrets-key', 'sync secrets']);
  secrets.rename('secrets-key', 'secrets-key-3f9c01ab');
  expect(calls).toEqual(['rename to secrets/secrets-key-3f9c01ab', 'sync secrets']);
  expect(secrets.find('secrets-key-3f9c01ab')).toBe('two');
});
