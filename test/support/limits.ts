import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';

/** Folders whose tests start processes, drive a browser, wait for takeovers, schedules and outages, or read and write whole databases. */
const longFolders = [
  'attacks',
  'backups',
  'console',
  'demo',
  'docker',
  'e2e',
  'embedded',
  'examples',
  'maintenance',
  'replay',
  'roles',
];
const longMs = 120_000;
/** Of those in `process/`: several processes start one after another, which takes 75 s on a busy machine. */
const processMs = 300_000;
/**
 * The limit of all other tests. Such a test takes less than a second alone, four times that when all workers are busy, and
 * machines differ by a factor of two.
 * A test that takes longer has a limit of its own, or its file has one: `vi.setConfig({ testTimeout })` lasts until the next
 * file, for which this module is run again.
 */
const unitMs = 10_000;

function folderOfFile(): string {
  const tests = fileURLToPath(new URL('..', import.meta.url));
  return relative(tests, expect.getState().testPath ?? '').split('/')[0] ?? '';
}

const limitOf = (folder: string) => (folder === 'process' ? processMs : longFolders.includes(folder) ? longMs : unitMs);

vi.setConfig({ testTimeout: limitOf(folderOfFile()) });

/** For a file with a running gateway, whose tests wait for HTTP, PostgreSQL and often Temporal. */
export function allowTimeForGateway(): void {
  if (limitOf(folderOfFile()) === unitMs) vi.setConfig({ testTimeout: longMs });
}
