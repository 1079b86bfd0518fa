import { join } from 'node:path';
import ms from 'ms';
import { withDefaultSslMode } from '../database/connection-options.ts';
import { plainWords } from '../shared/plain-words.ts';
import { StartError } from '../shared/start-error.ts';
import { tracingOf } from '../telemetry/tracing/settings.ts';
import { type ConnectionSettings, readConnectionSettings } from '../temporal/connection-settings.ts';
import { bodiesInFlight, checkedEnvironment } from './checked-environment.ts';
import { isOneOff, missingFor, readsBackups } from './missing-settings.ts';
import { readStartedBy, type StartedBy } from './npm-start.ts';
import { removedVariables } from './removed.ts';
import { type Role, roles } from './variable.ts';

export { type Role, roles };

/** The port on which a worker serves `/metrics` and its health. */
const workerMetricsPort = 9464;
/** The default budget for all bodies in flight, in bytes, unless a large MAX_PAYLOAD_BYTES needs more. */
const defaultBodyBytesInFlight = 64 * 1024 * 1024;

type Environment = Record<string, string | undefined>;

type TemporalSettings = ConnectionSettings & { mistakes: readonly string[] };
const noTemporal: TemporalSettings = {
  ...{ address: null, namespace: null, apiKey: null, tls: false, metadata: {} },
  mistakes: [],
};

/**
 * The connection settings for Temporal. Without `TEMPORAL_ADDRESS`, `all` runs its own server, for which the settings
 * of other servers in the environment or in the user's home must not be used.
 */
function temporalOf(
  role: Role,
  env: Environment,
  tls: boolean | undefined,
  startedBy: StartedBy | null,
): TemporalSettings {
  if (role === 'migrate' || role === 'restore') return noTemporal;
  const namespace = env.TEMPORAL_NAMESPACE || null;
  if (startedBy?.ownTemporal) return { ...noTemporal, address: env.TEMPORAL_ADDRESS ?? null, namespace };
  if (role === 'all' && !env.TEMPORAL_ADDRESS) return { ...noTemporal, namespace };
  const read = readConnectionSettings({ ...env, ...(tls === undefined ? {} : { TEMPORAL_TLS: String(tls) }) });
  return 'settings' in read ? { ...read.settings, mistakes: [] } : { ...noTemporal, mistakes: read.mistakes };
}

/** With mistakes in the settings of Temporal, it is not known whether its address is missing. */
const missing = (role: Role, set: Environment, temporal: TemporalSettings) =>
  missingFor(role, set, temporal.mistakes.length > 0 && role === 'worker' ? { address: 'unknown' } : temporal);

/** A worker does not listen on PORT. */
const samePorts = ({ PORT, METRICS_PORT }: { PORT: number; METRICS_PORT?: number | undefined }): string[] =>
  METRICS_PORT === PORT && PORT !== 0
    ? ['METRICS_PORT: must be another port than PORT, or unset, which has the metrics on PORT']
    : [];

/**
 * Reads all settings of the gateway from `env`. No other code reads the environment.
 *
 * @throws StartError that lists all mistakes. It does not repeat values that may be secrets.
 */
export function readConfig(role: Role, env: Environment) {
  const startedBy = readStartedBy(env);
  /** Whether the defaults are those of `npm start`. */
  const isAll = role === 'all' || startedBy !== null;
  // An empty value counts as not set, for `VARIABLE= npm start` and for empty entries of an .env file.
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  // OpenTelemetry's variables are often set for all programs of a machine, also values that the gateway does not support.
  if (set.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true')
    for (const name of Object.keys(set)) if (name.startsWith('OTEL_')) delete set[name];
  // As in libpq. Only for DATABASE_URL, because the embedded PostgreSQL has no TLS.
  const hasOwnPostgres = startedBy?.generated.includes('DATABASE_URL') === true;
  if (set.DATABASE_URL && set.PGSSLMODE && !hasOwnPostgres)
    set.DATABASE_URL = withDefaultSslMode(set.DATABASE_URL, set.PGSSLMODE);
  const parsed = checkedEnvironment.safeParse(set, { error: plainWords });
  // If a TEMPORAL_ variable is invalid, reading the connection settings would report it again.
  const temporal = parsed.error?.issues.some(({ path }) => String(path[0]).startsWith('TEMPORAL_'))
    ? { ...noTemporal, address: set.TEMPORAL_ADDRESS ?? null }
    : temporalOf(role, env, parsed.data?.TEMPORAL_TLS, startedBy);
  const mistakes = [
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path[0]?.toString()}: ${issue.message}`),
    ...removedVariables(set),
    ...temporal.mistakes,
    ...(startedBy === null ? missing(role, set, temporal) : []),
    ...(parsed.success && (role === 'all' || role === 'api') ? samePorts(parsed.data) : []),
  ];
  if (!parsed.success || mistakes.length > 0) {
    throw new StartError(`These settings are wrong:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`);
  }
  const e = parsed.data;
  // The default folder for backups of `all`, so that its backups can be restored by name.
  const ownBackups = startedBy !== null || (readsBackups(role) && !e.DATABASE_URL);
  const backupDir = e.BACKUP_DIR ?? (ownBackups ? join(startedBy?.dataDir ?? e.DATA_DIR, 'backups') : null);
  return {
    role,
    startedBy,
    isAll,
    host: e.HOST,
    port: e.PORT,
    /** The port of metrics and health; null: they are on `port`. A worker has no other port. */
    metricsPort: e.METRICS_PORT ?? (role === 'worker' ? workerMetricsPort : null),
    publicUrl: e.PUBLIC_URL ?? null,
    dataDir: e.DATA_DIR,
    databaseUrl: e.DATABASE_URL ?? null,
    temporal: {
      address: temporal.address,
      namespace: temporal.namespace ?? 'default',
      taskQueue: e.TEMPORAL_TASK_QUEUE,
      apiKey: temporal.apiKey,
      tls: temporal.tls,
      metadata: temporal.metadata,
      uiPort: e.TEMPORAL_UI_PORT,
      retentionHours: e.TEMPORAL_RETENTION_HOURS,
      uiUrl: e.TEMPORAL_UI_URL ?? null,
    },
    /** The purposes that a worker takes; null: all that it can serve. `all` has the only worker, which takes all. */
    workerQueues: role === 'worker' && !isAll ? (e.WORKER_QUEUES ?? null) : null,
    /** The version of a worker for Temporal; null without versions. The only worker of `all` has none. */
    build:
      !isAll && e.TEMPORAL_DEPLOYMENT_NAME !== undefined && e.TEMPORAL_WORKER_BUILD_ID !== undefined
        ? { deploymentName: e.TEMPORAL_DEPLOYMENT_NAME, buildId: e.TEMPORAL_WORKER_BUILD_ID }
        : null,
    adminTokens: [
      ...(e.ADMIN_TOKEN ? [{ name: 'admin', token: e.ADMIN_TOKEN, role: 'admin' as const }] : []),
      ...(e.ADMIN_TOKENS ?? []),
    ],
    trustedProxies: e.TRUSTED_PROXIES ?? [],
    secretsKey: e.SECRETS_KEY ?? null,
    /** Decrypts values from before a change of SECRETS_KEY; null when the key is not being changed. */
    secretsKeyPrevious: e.SECRETS_KEY_PREVIOUS ?? null,
    maxPayloadBytes: e.MAX_PAYLOAD_BYTES,
    rejected: {
      bodyBytes: e.REJECTED_BODY_BYTES,
      accountDailyBytes: e.REJECTED_ACCOUNT_DAILY_BYTES,
      dailyBytes: e.REJECTED_DAILY_BYTES,
    },
    maxBodyBytesInFlight:
      e.MAX_BODY_BYTES_IN_FLIGHT ?? Math.max(defaultBodyBytesInFlight, bodiesInFlight * e.MAX_PAYLOAD_BYTES),
    maxConnections: e.MAX_CONNECTIONS,
    // `api` is behind a balancer, which needs time to notice; nothing routes around `all`.
    shutdownDrainMs: e.SHUTDOWN_DRAIN ?? (role === 'api' && !isAll ? ms('5s') : 0),
    /** Whether an `api` makes first attempts. */
    apiDelivers: e.API_DELIVERS,
    delivery: {
      delaysMs: e.DELIVERY_SCHEDULE,
      timeLimitMs: e.DELIVERY_TIMEOUT,
      allowedNetworks: e.DELIVERY_ALLOWED_NETWORKS ?? (isAll ? ['127.0.0.0/8', '::1/128'] : []),
      proxy: e.DELIVERY_PROXY === undefined ? null : { url: e.DELIVERY_PROXY, except: e.DELIVERY_NO_PROXY ?? [] },
      droppedHeaders: e.DROPPED_HEADERS ?? [],
      accountConcurrency: e.ACCOUNT_CONCURRENCY,
      eventWorkflows: e.EVENT_WORKFLOWS,
      eventWorkflowsBacklog: e.EVENT_WORKFLOWS_BACKLOG,
    },
    notifications: {
      mail: {
        from: e.MAIL_FROM_EMAIL,
        sendgrid: e.SENDGRID_API_KEY ? { apiKey: e.SENDGRID_API_KEY, baseUrl: e.SENDGRID_BASE_URL } : null,
        // Only `npm start` has an outbox: several machines have no common folder that an operator would check.
        outboxDir: startedBy && join(startedBy.dataDir, 'outbox'),
      },
      burst: e.NOTIFY_BURST ?? null,
    },
    maintenance: {
      backup: {
        dir: e.BACKUP_URL === undefined ? backupDir : null,
        url: e.BACKUP_URL ?? null,
        keep: e.BACKUP_KEEP,
        encrypt: e.BACKUP_ENCRYPT,
      },
      auditRetentionDays: e.AUDIT_RETENTION_DAYS,
      eventRetentionDays: e.EVENT_RETENTION_DAYS ?? null,
    },
    /** Null: no variable turns tracing on (docs/tracing.md). */
    tracing: tracingOf(e),
    // Level `info` has a line for each event and attempt, which suits log collectors but not a terminal.
    logLevel: e.LOG_LEVEL ?? (isAll || isOneOff(role) ? 'warn' : 'info'),
    /** The machine's own variables for finding programs and folders. */
    machine: { path: env.PATH ?? '', cacheHome: env.XDG_CACHE_HOME ?? null, home: env.HOME ?? null },
    /** What systemd says of the output that its journal takes; null without systemd. */
    journalStream: env.JOURNAL_STREAM ?? null,
  };
}

export type Config = ReturnType<typeof readConfig>;
