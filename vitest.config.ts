import { defineConfig } from 'vitest/config';
import { compileCache } from './test/support/compile-cache.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { SkippedTests } from './test/support/may-skip/reporter.ts';
import { defaultLimitMs } from './test/support/until.ts';

const attacks = 'test/attacks/**/*.test.ts';
/**
 * More than there are cores: about half of the time a test waits, for a lease, a retry or a process that starts. Those after
 * the third begin a file only when the processors have room (`room.ts`).
 */
const workers = 9;
/**
 * The limit of a test and of a hook. Most take less than a second, and those that start several processes 100 s on a busy
 * machine. Machines differ by a factor of three, nine files run at the same time, and a task that a busy process loses comes
 * again after 10 s. A test whose limit means something has its own: `test('…', { timeout: 10_000 }, …)`.
 */
const limitMs = 300_000;

// The workers inherit it. Node reads it when a process begins.
process.env.NODE_COMPILE_CACHE ??= compileCache;

const jsonReporter = (outputFile: string): [[string, Record<string, unknown>]] => [['json', { outputFile }]];

export default defineConfig({
  test: {
    // The native part of the Temporal SDK does not run in worker threads.
    pool: 'forks',
    // A worker keeps what it has loaded for its next file: to load the gateway takes more time than most files.
    isolate: false,
    // Node runs the code as `npm start` does, and nothing has to be transformed beforehand. No test mocks a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // `npm run cluster` runs the end-to-end tests on other servers.
    globalSetup: [process.env.TEST_CLUSTER ? 'test/cluster/e2e/servers.ts' : 'test/support/servers.ts'],
    setupFiles: ['test/support/room.ts', 'test/support/cpu-times.ts', 'test/support/leaks/setup.ts'],
    sequence: process.env.TEST_ORDER === 'random' ? { shuffle: { files: true } } : { sequencer: LongestFirst },
    testTimeout: limitMs,
    hookTimeout: limitMs,
    expect: { poll: { timeout: defaultLimitMs } },
    // A report shows the whole of what was compared: a shortened log hides the line that explains the failure.
    chaiConfig: { truncateThreshold: 0 },
    // For scripts that count: a summary in JSON where they ask for one.
    reporters: [
      'default',
      new SkippedTests(),
      ...(process.env.TEST_RESULTS ? jsonReporter(process.env.TEST_RESULTS) : []),
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: [attacks],
          sequence: { groupOrder: 0 },
          maxWorkers: workers,
          env: { TEST_WORKERS: String(workers) },
        },
      },
      {
        extends: true,
        // Afterwards, two at a time: they measure what other clients of the machine wait for.
        test: { name: 'attacks', include: [attacks], sequence: { groupOrder: 1 }, maxWorkers: 2 },
      },
    ],
  },
});
