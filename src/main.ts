import { fileURLToPath } from 'node:url';
import { type Role, readConfig, roles } from './config.ts';
import { explainDatabaseError } from './database/explain-error.ts';
import type { RoleContext } from './roles/role-context.ts';
import { createLog } from './shared/log.ts';
import { StartError } from './shared/start-error.ts';

/** The limit for graceful shutdown. After it, the process exits immediately. */
const stopLimitMs = 45_000;
/**
 * Signals within this time after the first one count as the same request. A terminal sends Ctrl-C to the whole process
 * group, and npm forwards it to the gateway again, on a busy machine after several hundred milliseconds.
 */
const sameRequestMs = 2_000;

/**
 * The roles, each loaded only when it runs. The Temporal worker, the HTTP side and the S3 client take a second to load,
 * and most roles need only one of them.
 */
const run: Record<Role, (context: RoleContext) => Promise<void>> = {
  all: async (context) => (await import('./roles/all.ts')).runAll(context),
  api: async (context) => (await import('./roles/api.ts')).runApi(context),
  worker: async (context) => (await import('./roles/worker.ts')).runWorker(context),
  migrate: async (context) => (await import('./roles/migrate.ts')).runMigrate(context),
  restore: async (context) => (await import('./roles/restore.ts')).runRestore(context),
  reseal: async (context) => (await import('./roles/reseal.ts')).runReseal(context),
  'backup-sql': async (context) => (await import('./roles/backup-sql.ts')).runBackupSql(context),
};

async function main(): Promise<void> {
  const role = roles.find((name) => name === (process.argv[2] ?? 'all'));
  if (!role) throw new StartError(`There is no role '${process.argv[2]}'. The roles are: ${roles.join(', ')}.`);
  loadEnvFile();
  // biome-ignore lint/style/noProcessEnv: passed to readConfig, the only reader of the environment
  const config = readConfig(role, process.env);
  const log = createLog(config.logLevel);
  const stopping = new AbortController();
  let stoppingSinceMs: number | null = null;
  const stop = (signal: string) => {
    if (stoppingSinceMs !== null) {
      if (performance.now() - stoppingSinceMs < sameRequestMs) return;
      // After a second request, exits immediately. The next start stops embedded servers that still run.
      process.exit(1);
    }
    stoppingSinceMs = performance.now();
    log.info({ signal }, 'stopping');
    stopping.abort();
    setTimeout(() => process.exit(1), stopLimitMs).unref();
  };
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGHUP', () => stop('SIGHUP'));
  const { databaseUrl } = config;
  const context = { config, log, stopped: stopping.signal, arguments: process.argv.slice(3) };
  await run[role](context).catch((error: unknown) => {
    throw databaseUrl === null ? error : explainDatabaseError(databaseUrl, error);
  });
}

/** Loads the .env file beside package.json, if there is one. Variables that are already set take precedence. */
function loadEnvFile(): void {
  try {
    process.loadEnvFile(fileURLToPath(new URL('../.env', import.meta.url)));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    if (error instanceof StartError) console.error(`\n${error.message}\n`);
    else console.error(error);
    process.exit(1);
  },
);
