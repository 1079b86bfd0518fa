import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The native part of the Temporal SDK does not run in worker threads.
    pool: 'forks',
    globalSetup: ['test/support/servers.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // For scripts that count: a summary in JSON where they ask for one.
    reporters: process.env.TEST_RESULTS ? ['default', ['json', { outputFile: process.env.TEST_RESULTS }]] : ['default'],
    // Two cores carry PostgreSQL and Temporal besides.
    maxWorkers: 2,
  },
});
