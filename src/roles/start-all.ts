import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startApi } from '../api/start-api.ts';
import { backupPlace } from '../backups/open-backup-store.ts';
import { migrate } from '../database/migrate.ts';
import { deliverySchedule } from '../delivery/workflow-schedule.ts';
import { FrontRelay } from '../dispatch/front-relay.ts';
import type { DataDir } from '../embedded/data-dir.ts';
import { startPostgres } from '../embedded/postgres.ts';
import { startTemporal } from '../embedded/temporal.ts';
import { readPause } from '../events/pause.ts';
import { Scrape } from '../metrics/scrape.ts';
import { originOf } from '../notifications/settings.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { cacheDirOf } from '../shared/cache-dir.ts';
import { StartError } from '../shared/start-error.ts';
import { withoutTracing } from '../tracing/spans.ts';
import { apiSettings } from './api-settings.ts';
import { composeAttempts } from './compose-attempts.ts';
import { measureApi, measureBeside } from './compose-metrics.ts';
import { needed } from './needed.ts';
import { openDatabase } from './open-database.ts';
import { ownKeyring } from './own-keys.ts';
import type { RoleContext } from './role-context.ts';
import { serveFrontMetrics } from './serve-metrics.ts';
import { warmUpDatabase } from './warm-up-database.ts';
import { warmUpHttp } from './warm-up-http.ts';
import { welcome } from './welcome.ts';
import { startWorkerProcess } from './worker-process.ts';

/** Stops something that was started. */
export type Undo = () => Promise<void> | void;

/** What `runAll` has checked, and the steps that stop what is started here, in the order of the start. */
export interface AllParts {
  dataDir: DataDir;
  /** The path of the Temporal program; null when another Temporal is configured. */
  program: string | null;
  undo: Undo[];
}

/** Starts the servers, the worker process and the HTTP side, and prints the welcome. */
export async function startAll(
  { config, settings, log, stopped }: RoleContext,
  { dataDir, program, undo }: AllParts,
): Promise<void> {
  const progress = (line: string) => console.log(line);
  const goOn = () => {
    if (stopped.aborted) throw new StartError('The start was interrupted.');
  };
  goOn();
  const databaseUrl = config.databaseUrl ?? (await embeddedPostgres());
  goOn();
  const { address: givenTemporal, uiUrl } = config.temporal;
  const temporal = givenTemporal === null ? await embeddedTemporal(needed(program)) : { address: givenTemporal, uiUrl };
  goOn();

  const database = await openDatabase({ url: databaseUrl, log });
  undo.push(() => database.close());
  await migrate(database, log);
  const keyring = ownKeyring(dataDir, config);
  const generated = config.adminTokens.length === 0;
  const adminTokens = generated
    ? [
        {
          name: 'admin',
          token: dataDir.secret('admin-token', () => randomBytes(24).toString('base64url')),
          role: 'admin' as const,
        },
      ]
    : config.adminTokens;
  const common = { database, keyring, temporal: { ...config.temporal, ...temporal }, log };

  const mail = { ...config.notifications.mail, outboxDir: join(dataDir.path, 'outbox') };

  const { backup } = config.maintenance;
  const placed = backupPlace(backup) === null ? { ...backup, dir: join(dataDir.path, 'backups') } : backup;

  const urlAt = (port: number) => config.publicUrl ?? originOf({ host: config.host, port });
  const box = createSecretBox(keyring);
  const { metrics, collect } = measureApi({ database, log });
  const ownSettings = { role: config.role, settings };
  const http = { ...common, ...apiSettings(config), adminTokens, mail, ownSettings };
  // All of this takes seconds of CPU time, which the first webhooks would wait for: so it is done before the port opens.
  const warm = withoutTracing(() => warmUpHttp(http, log).then(() => warmUpDatabase({ database, log })));
  undo.push(() => warm);
  const worker = await startWorkerProcess({
    settings: {
      databaseUrl,
      databaseIsGiven: config.databaseUrl !== null,
      keys: { current: keyring.current.bytes, previous: keyring.previous?.bytes ?? null },
      temporal: common.temporal,
      delivery: config.delivery,
      notifications: { ...config.notifications, mail, baseUrl: urlAt(config.port) },
      maintenance: { ...config.maintenance, backup: placed },
      cacheDir: cacheDirOf(config.machine),
      logLevel: config.logLevel,
      tracing: config.tracing,
    },
    dataDir: dataDir.path,
    log,
  });
  undo.push(() => worker.stop());
  await warm;
  goOn();
  const { delivery } = config;
  const attempting = composeAttempts({
    ...{ database, box, delivery, metrics, log },
    burst: config.notifications.burst,
  });
  const front = new FrontRelay({
    ...{ sql: database, databaseUrl, attempts: attempting.attempts, log },
    schedule: deliverySchedule(delivery),
    firstAttempt: delivery.firstAttempt,
    worker: worker.news,
    metrics,
  });
  undo.push(async () => {
    await front.stop();
    await attempting.close();
  });
  front.start();
  const scrape = new Scrape([collect, measureBeside(worker, log)]);
  const measured = await serveFrontMetrics({ config, database, scrape, stopped, log });
  undo.push(() => measured.stop());
  const api = await startApi({ ...http, metrics, scrape: measured.scrape, handOver: () => front.handOver });
  // The worker first, as in its own order: what it has in flight ends while webhooks are still accepted. The drain time
  // passes meanwhile, because both together may take longer than the process may take to stop (main.ts).
  undo.push(async () => {
    await Promise.all([worker.stop(), api.drain()]);
    await api.stop();
  });
  const baseUrl = urlAt(api.port);
  worker.listening(baseUrl);
  goOn();

  progress(
    welcome({
      baseUrl,
      adminToken: generated ? (adminTokens[0]?.token ?? null) : null,
      webUiUrl: temporal.uiUrl,
      dataDir: dataDir.path,
      allowedNetworks: config.delivery.allowedNetworks,
      outboxDir: mail.sendgrid ? null : mail.outboxDir,
      backups: {
        place: backupPlace(placed) ?? '',
        key: config.secretsKey === null ? join(dataDir.path, 'secrets', 'secrets-key') : 'SECRETS_KEY',
      },
      pause: await readPause(database),
    }),
  );

  async function embeddedPostgres(): Promise<string> {
    progress('Starting PostgreSQL …');
    const postgres = await startPostgres({ dataDir, log, onProgress: progress });
    undo.push(() => postgres.stop());
    return postgres.url;
  }

  async function embeddedTemporal(program: string) {
    progress('Starting Temporal …');
    const { namespace, uiPort } = config.temporal;
    const server = await startTemporal({ dataDir, program, namespace, uiPort, log });
    undo.push(() => server.stop());
    return { address: server.address, uiUrl: server.uiUrl };
  }
}
