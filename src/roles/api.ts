import { startApi } from '../api/start-api.ts';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { readPause } from '../events/pause.ts';
import { startPresence } from '../processes/presence.ts';
import { version } from '../shared/version.ts';
import { Scrape } from '../telemetry/metrics/scrape.ts';
import { withoutTracing } from '../telemetry/tracing/spans.ts';
import { apiSettings } from './api-settings.ts';
import { measureApi, measureBoth } from './compose-metrics.ts';
import { conditionsOfApi } from './gateway-conditions.ts';
import { keyringOf } from './keyring.ts';
import { needed } from './needed.ts';
import { withDatabase } from './open-database.ts';
import type { RoleContext } from './role-context.ts';
import { serveFrontMetrics } from './serve-metrics.ts';
import { type RunningDeliveries, startDeliveries } from './start-deliveries.ts';
import { untilStopped } from './until-stopped.ts';
import { warmUpDatabase } from './warm-up-database.ts';
import { warmUpHttp } from './warm-up-http.ts';

/**
 * How long a stop may take in all, in ms: less than the 45 s after which `main.ts` ends the process, so that it closes
 * its connections in order.
 */
const stopLimitMs = 40_000;

/**
 * The role `api`: ingestion, the admin API, and first attempts. Any number of these processes can run behind a load
 * balancer.
 */
export async function runApi(context: RoleContext): Promise<void> {
  await withDatabase({ url: needed(context.config.databaseUrl), log: context.log }, async (database) => {
    // `npm start` runs no `migrate`: its api does the same, and its worker starts once the api is ready.
    if (context.config.startedBy) await migrate(database, context.log);
    await serveApi(context, database);
  });
}

async function serveApi({ config, settings, log, stopped, ready }: RoleContext, database: Database): Promise<void> {
  const { address, ...temporal } = config.temporal;
  const { startedBy, shutdownDrainMs: drainMs, delivery } = config;
  const { metrics, collect } = measureApi({ database, log });
  const scrape = new Scrape(startedBy ? measureBoth(collect, startedBy.dataDir, log) : [collect]);
  const measured = await serveFrontMetrics({ config, database, scrape, stopped, log });
  const parts = {
    ...apiSettings(config),
    database,
    keyring: keyringOf(config),
    temporal: address === null ? null : { address, ...temporal },
    adminTokens: config.adminTokens,
    ownSettings: { role: config.isAll ? ('all' as const) : config.role, settings },
    mail: config.notifications.mail,
    log,
  };
  let deliveries: RunningDeliveries | null = null;
  try {
    // Both take processor time, which the first webhooks would wait for: so it is done before the port opens.
    await withoutTracing(() => warmUpHttp(parts, log).then(() => warmUpDatabase({ database, log })));
    const handOver = () => deliveries?.handOver ?? null;
    const { dir: backupDir } = config.maintenance.backup;
    const api = await startApi({
      ...{ ...parts, metrics, scrape: measured.scrape, handOver },
      gatewayConditions: conditionsOfApi({ database, folders: [startedBy?.dataDir ?? null, backupDir], log }),
    });
    if (config.apiDelivers)
      deliveries = await startDeliveries({
        ...{ database, databaseUrl: needed(config.databaseUrl), keyring: parts.keyring, delivery, metrics, log },
        ...{ burst: config.notifications.burst, stopLimitMs: stopLimitMs - drainMs },
        onOpening: () => api.judgeIncidents(),
      });
    const presence = config.apiDelivers ? null : startPresence({ sql: database, role: 'api', log });
    log.info({ version, host: config.host, port: api.port, delivers: config.apiDelivers }, 'api listening');
    const pause = await readPause(database).catch(() => null);
    ready({ port: api.port, pause: pause && { since: pause.since.toISOString(), reason: pause.reason } });
    await untilStopped(stopped);
    await api.drain();
    await Promise.all([api.stop(), deliveries?.stop(), presence?.stop()]);
  } finally {
    await measured.stop();
  }
}
