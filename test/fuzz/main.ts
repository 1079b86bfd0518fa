import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultCacheDir } from '../../src/embedded/temporal-program.ts';
import { adminToken, startGatewayProcess, temporaryFolder, temporaryPostgres } from '../bench/processes.ts';
import { run, schemathesis } from './schemathesis.ts';
import { seed } from './seed.ts';

/**
 * `npm run fuzz -- [--examples 100] [--seed N]`: Schemathesis makes requests from the OpenAPI document and sends them to a
 * running gateway with a database of its own. It fails on a 5xx, on a status, content type or body that the document does
 * not have, and on invalid requests that are taken.
 */
const { values } = parseArgs({
  options: { examples: { type: 'string', default: '100' }, seed: { type: 'string' } },
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const cache = defaultCacheDir({ cacheHome: process.env.XDG_CACHE_HOME ?? null, home: process.env.HOME ?? homedir() });
const program = await schemathesis(cache);
const postgres = await temporaryPostgres();
const folder = await temporaryFolder();
try {
  const gateway = await startGatewayProcess('all', {
    DATABASE_URL: postgres.url,
    DATA_DIR: join(folder.path, 'data'),
    TEMPORAL_UI_PORT: '29233',
    DELIVERY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s,1s,1s',
    LOG_LEVEL: 'error',
  });
  try {
    const ids = await seed(gateway.baseUrl, adminToken);
    // Ids that exist, so that more than the 404 is met.
    const parameters = Object.entries(ids).map(([name, known]) => `"path.${name}" = ${JSON.stringify(known)}`);
    await writeFile(join(folder.path, 'schemathesis.toml'), `[parameters]\n${parameters.join('\n')}\n`);
    const args = ['run', `${gateway.baseUrl}/openapi/json`, '-H', `X-Admin-Token: ${adminToken}`];
    args.push('--checks', 'all', '--max-examples', values.examples, '--request-timeout', '30', '--continue-on-failure');
    if (values.seed !== undefined) args.push('--seed', values.seed);
    process.exitCode = await run(program, args, folder.path);
  } finally {
    await gateway.stop();
  }
} finally {
  await postgres.stop();
  await folder.remove();
}
