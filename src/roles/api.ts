import { startApi } from '../api/start-api.ts';
import { Scrape } from '../metrics/scrape.ts';
import { version } from '../shared/version.ts';
import { apiSettings } from './api-settings.ts';
import { measureApi } from './compose-metrics.ts';
import { keyringOf } from './keyring.ts';
import { needed } from './needed.ts';
import { openDatabase } from './open-database.ts';
import type { RoleContext } from './role-context.ts';
import { serveFrontMetrics } from './serve-metrics.ts';
import { untilStopped } from './until-stopped.ts';

/** The role `api`: ingestion and the admin API. Any number of these processes can run behind a load balancer. */
export async function runApi({ config, settings, log, stopped }: RoleContext): Promise<void> {
  const database = await openDatabase({ url: needed(config.databaseUrl), log });
  try {
    const { address, ...temporal } = config.temporal;
    const { metrics, collect } = measureApi({ database, log });
    const measured = await serveFrontMetrics({ config, database, scrape: new Scrape([collect]), stopped, log });
    try {
      const api = await startApi({
        ...apiSettings(config),
        database,
        keyring: keyringOf(config),
        temporal: address === null ? null : { address, ...temporal },
        adminTokens: config.adminTokens,
        ownSettings: { role: config.role, settings },
        mail: config.notifications.mail,
        ...{ metrics, scrape: measured.scrape },
        log,
      });
      log.info({ version, host: config.host, port: api.port }, 'api listening');
      await untilStopped(stopped);
      await api.stop();
    } finally {
      await measured.stop();
    }
  } finally {
    await database.close();
  }
}
