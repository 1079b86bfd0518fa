import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The native part of the Temporal SDK does not run in worker threads.
    pool: 'forks',
    // A worker keeps what it has loaded for its next file: to load the gateway takes more time than most files.
    isolate: false,
    // Node runs the code as `npm start` does, and nothing has to be transformed beforehand. No test mocks a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    setupFiles: ['test/support/leaks/setup.ts'],
    globalSetup: ['test/support/servers.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { sequencer: LongestFirst },
    // For scripts that count: a summary in JSON where they ask for one.
    reporters: process.env.TEST_RESULTS ? ['default', ['json', { outputFile: process.env.TEST_RESULTS }]] : ['default'],
    // More than there are cores: about half of the time a test waits, for a lease, a retry or a process that starts.
    maxWorkers: 4,
  },
});
