import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';

/**
 * The limit of a test. Most take less than a second, but machines differ by a factor of two or three, nine files run at the
 * same time, and a task that a busy process loses comes again after 10 s. A test whose limit means something has its own:
 * `test('…', { timeout: 10_000 }, …)`.
 */
const limitMs = 120_000;
/** Of those in `process/`: several processes start one after another, which takes 75 s on a busy machine. */
const processMs = 300_000;

function folderOfFile(): string {
  const tests = fileURLToPath(new URL('..', import.meta.url));
  return relative(tests, expect.getState().testPath ?? '').split('/')[0] ?? '';
}

const ofFile = folderOfFile() === 'process' ? processMs : limitMs;
// For each file anew, because a file may change it. Most hooks start a gateway on a database of its own.
vi.setConfig({ testTimeout: ofFile, hookTimeout: ofFile });
