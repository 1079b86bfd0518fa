import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { backupPlace } from '../backups/open-backup-store.ts';
import { judgeUrls } from '../delivery/connections/judge-urls.ts';
import type { DataDir } from '../embedded/data-dir.ts';
import { startPostgres } from '../embedded/postgres.ts';
import { startTemporal } from '../embedded/temporal.ts';
import { originOf } from '../notifications/settings.ts';
import { StartError } from '../shared/start-error.ts';
import { isInJournal } from './in-journal.ts';
import { needed } from './needed.ts';
import { ownKeyring } from './own-keys.ts';
import { type Program, type ProgramOptions, startProgram } from './program.ts';
import type { RoleContext } from './role-context.ts';
import { welcome } from './welcome.ts';

/** Stops something that was started. */
export type Undo = () => Promise<void> | void;

/** What `runAll` has checked, and the steps that stop what is started here, in the order of the start. */
export interface AllParts {
  dataDir: DataDir;
  /** The path of the Temporal program; null when another Temporal is configured. */
  program: string | null;
  undo: Undo[];
}

/** Young objects of webhooks under load: with less memory, most live until their garbage collection. */
const apiMemory = ['--max-semi-space-size=16'];

/** Starts the servers, an `api`, which migrates, and a `worker`, and prints the welcome. */
export async function startAll(
  { config, environment, settings, log, stopped }: RoleContext,
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
  const temporal = givenTemporal === null ? await embeddedTemporal(needed(program)) : null;
  goOn();

  const keyring = ownKeyring(dataDir, config);
  const adminToken =
    config.adminTokens.length === 0 ? dataDir.secret('admin-token', () => randomBytes(24).toString('base64url')) : null;
  const generated: Record<string, string> = {
    ...(config.databaseUrl === null ? { DATABASE_URL: databaseUrl } : {}),
    ...(temporal ? { TEMPORAL_ADDRESS: temporal.address } : {}),
    ...(temporal && uiUrl === null ? { TEMPORAL_UI_URL: temporal.uiUrl } : {}),
    ...(config.secretsKey === null ? { SECRETS_KEY: base64(keyring.current.bytes) } : {}),
    ...(keyring.previous ? { SECRETS_KEY_PREVIOUS: base64(keyring.previous.bytes) } : {}),
    ...(adminToken === null ? {} : { ADMIN_TOKEN: adminToken }),
  };
  let port = config.port;
  const common: Omit<ProgramOptions, 'role'> = {
    variables: () => ({
      ...environment,
      ...generated,
      // After a crash, the api takes the port that the system has chosen for it.
      ...(config.port === 0 ? { PORT: String(port) } : {}),
    }),
    startedBy: {
      dataDir: dataDir.path,
      ownTemporal: temporal !== null,
      generated: Object.keys(generated).filter((name) => !environment[name]),
      fromFile: settings.filter(({ source }) => source === 'env_file').map(({ name }) => name),
    },
    log,
  };
  const running: Program[] = [];
  // At the same time: the api still accepts while the worker ends what it has in flight.
  undo.push(async () => void (await Promise.all(running.map((one) => one.stop()))));
  const start = async (options: Pick<ProgramOptions, 'role' | 'node' | 'lowered'>) => {
    const started = await startProgram({ ...common, ...options });
    running.push(started);
    port = started.ready.port ?? port;
    return started.ready;
  };
  // The worker needs the schema, which the api migrates, and the port of the api for links in notifications.
  const { pause = null } = await start({ role: 'api', node: apiMemory });
  goOn();
  // Retries, notifications and maintenance can wait for a core; ingestion and first attempts cannot.
  await start({ role: 'worker', lowered: true });
  goOn();
  const { sendgrid } = config.notifications.mail;
  const { backup } = config.maintenance;
  const { allowedNetworks } = config.delivery;
  const baseUrl = config.publicUrl ?? originOf({ host: config.host, port });
  progress(
    welcome({
      baseUrl,
      refused: await judgeUrls(allowedNetworks).warning(baseUrl),
      // Everyone who may read the journal, and where it is sent, would have the token for ever.
      adminToken: isInJournal(config.journalStream) ? null : adminToken,
      tokenFile: adminToken === null ? null : dataDir.secrets.pathOf('admin-token'),
      webUiUrl: uiUrl ?? temporal?.uiUrl ?? null,
      dataDir: dataDir.path,
      allowedNetworks,
      outboxDir: sendgrid ? null : join(dataDir.path, 'outbox'),
      backups: {
        place: backupPlace(backup) ?? join(dataDir.path, 'backups'),
        key: config.secretsKey === null ? dataDir.secrets.pathOf('secrets-key') : 'SECRETS_KEY',
      },
      pause,
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
    const { namespace, uiPort, retentionHours } = config.temporal;
    const server = await startTemporal({ dataDir, program, namespace, uiPort, retentionHours, log });
    undo.push(() => server.stop());
    return { address: server.address, uiUrl: server.uiUrl };
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
