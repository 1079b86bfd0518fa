import { startApi } from '../api/start-api.ts';
import { apiSettings } from './api-settings.ts';
import { keyringOf } from './keyring.ts';
import { needed } from './needed.ts';
import { openDatabase } from './open-database.ts';
import type { RoleContext } from './role-context.ts';
import { untilStopped } from './until-stopped.ts';

/** The role `api`: ingestion and the admin API. Any number of these processes can run behind a load balancer. */
export async function runApi({ config, log, stopped }: RoleContext): Promise<void> {
  const database = await openDatabase({ url: needed(config.databaseUrl), log });
  try {
    const { address, ...temporal } = config.temporal;
    const api = await startApi({
      ...apiSettings(config),
      database,
      keyring: keyringOf(config),
      temporal: address === null ? null : { address, ...temporal },
      adminTokens: config.adminTokens,
      mail: config.notifications.mail,
      log,
    });
    log.info({ host: config.host, port: api.port }, 'api listening');
    await untilStopped(stopped);
    await api.stop();
  } finally {
    await database.close();
  }
}
