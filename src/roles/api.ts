import { startApi } from '../api/start-api.ts';
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
      database,
      keyring: keyringOf(config),
      temporal: address === null ? null : { address, ...temporal },
      adminTokens: config.adminTokens,
      trustedProxies: config.trustedProxies,
      delivery: config.delivery,
      mail: config.notifications.mail,
      publicUrl: config.publicUrl,
      maxPayloadBytes: config.maxPayloadBytes,
      rejected: config.rejected,
      maxBodyBytesInFlight: config.maxBodyBytesInFlight,
      maxConnections: config.maxConnections,
      host: config.host,
      port: config.port,
      log,
    });
    log.info({ host: config.host, port: api.port }, 'api listening');
    await untilStopped(stopped);
    await api.stop();
  } finally {
    await database.close();
  }
}
