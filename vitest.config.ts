import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

const attacks = 'test/attacks/**/*.test.ts';
/** Folders of tests that start processes, wait for leases, schedules and outages, or read and write whole databases. */
const long = ['backups', 'demo', 'docker', 'e2e', 'embedded', 'maintenance', 'process', 'replay', 'roles'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

/**
 * For a unit: such a test takes less than a second alone, and four times that when all workers are busy. One that takes longer
 * says so itself, with a limit of 30 s.
 */
const unitTimeoutMs = 5_000;
const longTimeoutMs = 120_000;
/** More than there are cores: about half of the time a test waits, for a lease, a retry or a process that starts. */
const maxWorkers = 4;

export default defineConfig({
  test: {
    // The native part of the Temporal SDK does not run in worker threads.
    pool: 'forks',
    // A worker keeps what it has loaded for its next file: to load the gateway takes more time than most files.
    isolate: false,
    // Node runs the code as `npm start` does, and nothing has to be transformed beforehand. No test mocks a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ['test/support/servers.ts'],
    setupFiles: ['test/support/leaks/setup.ts'],
    sequence: { sequencer: LongestFirst },
    testTimeout: longTimeoutMs,
    // Most of them start a gateway on a database of its own.
    hookTimeout: longTimeoutMs,
    // For scripts that count: a summary in JSON where they ask for one.
    reporters: process.env.TEST_RESULTS ? ['default', ['json', { outputFile: process.env.TEST_RESULTS }]] : ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['test/**/*.test.ts'],
          exclude: [attacks, ...long],
          testTimeout: unitTimeoutMs,
          sequence: { groupOrder: 0 },
          maxWorkers,
        },
      },
      {
        extends: true,
        test: { name: 'long', include: long, sequence: { groupOrder: 0 }, maxWorkers },
      },
      {
        extends: true,
        // Afterwards and one by one: they measure what other clients of the machine wait for.
        test: { name: 'attacks', include: [attacks], sequence: { groupOrder: 1 }, maxWorkers: 1 },
      },
    ],
  },
});
