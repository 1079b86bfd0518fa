import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { createLog } from '../../../src/shared/log.ts';
import { bundleWorkflows } from '../../../src/temporal/workflow-bundle.ts';
import { ownFolder } from '../../faults/ground.ts';
import { refuseEnvFile } from '../../support/env-file.ts';
import { leaksInDatabases } from '../../support/leaks/database.ts';
import { reportOf } from '../../support/leaks/markers.ts';
import { prepareClusterGround } from '../ground.ts';

/**
 * The servers of a test run, for `npm run cluster -- --only e2e`: one PostgreSQL with the roles of docker-compose.yml, and
 * the Temporal server on it. Takes the place of test/support/servers.ts.
 */
export default async function setup(project: TestProject) {
  refuseEnvFile(fileURLToPath(new URL('../../..', import.meta.url)));
  const ground = await prepareClusterGround();
  const { folder, remove } = ownFolder('gateway-test-');
  const logs = join(folder, 'logs');
  const prepared = join(folder, 'prepared');
  for (const each of [logs, prepared]) mkdirSync(each, { mode: 0o755 });
  const { postgres, temporal } = await ground.openServers({ folder, logs, onSmallDisk: false });
  await postgres.start();
  await temporal.start();
  const { template } = ground;
  const superuserUrl = Object.assign(new URL(template.superuserUrl), { port: String(postgres.port) }).href;
  const { username, password, pathname } = new URL(template.url);
  project.provide('postgresUrl', superuserUrl);
  project.provide('databaseOwner', { username, password });
  project.provide('migratedDatabase', pathname.slice(1));
  project.provide('temporalAddress', `127.0.0.1:${temporal.port}`);
  // The server has no Web UI. Links to it are only compared.
  project.provide('temporalUiUrl', 'http://127.0.0.1:8233');
  project.provide('compileCache', ground.compileCache);
  // The processes of the gateways inherit it, which halves the time of their starts.
  process.env.NODE_COMPILE_CACHE = ground.compileCache;
  project.provide('preparedFolders', prepared);
  project.provide('workflowCode', (await bundleWorkflows({ cacheDir: null, log: createLog('warn') })).code);
  return async () => {
    await temporal.close();
    // Those of Temporal, too.
    const leaks = await leaksInDatabases(superuserUrl);
    await postgres.close();
    remove();
    if (leaks.length > 0) throw new Error(reportOf(leaks));
  };
}
