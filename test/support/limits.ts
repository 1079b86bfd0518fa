import { vi } from 'vitest';

/**
 * The limit of a test and of a hook. Most take less than a second, and those that start several processes 75 s on a busy
 * machine. Machines differ by a factor of three, nine files run at the same time, and a task that a busy process loses comes
 * again after 10 s. A test whose limit means something has its own: `test('…', { timeout: 10_000 }, …)`.
 */
const limitMs = 300_000;

// For each file anew, because a file may change it.
vi.setConfig({ testTimeout: limitMs, hookTimeout: limitMs });
