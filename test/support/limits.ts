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
  'process',
  'replay',
  'roles',
];
const longMs = 120_000;
/**
 * The limit of all other tests. Such a test takes less than a second alone, and four times that when all workers are busy.
 * A test that takes longer has a limit of its own, or its file has one: `vi.setConfig({ testTimeout })` lasts until the next
 * file, for which this module is run again.
 */
const unitMs = 5_000;

const [folder = ''] = relative(fileURLToPath(new URL('..', import.meta.url)), expect.getState().testPath ?? '').split(
  '/',
);
vi.setConfig({ testTimeout: longFolders.includes(folder) ? longMs : unitMs });
