import { join } from 'node:path';
import { z } from 'zod';
import { s3AddressMistake } from './backups/s3-address.ts';
import { databaseUrlMistake, withDefaultSslMode } from './database/connection-options.ts';
import { droppedHeaderMistake } from './delivery/dropped-headers.ts';
import { eventWorkflows } from './events/event-workflows.ts';
import { countedStarts } from './events/workflow-backlog.ts';
import { adminToken, adminTokens } from './http/admin/token-settings.ts';
import { proxyMistake } from './http/trusted-proxies.ts';
import { secretsKey } from './secrets/key-setting.ts';
import { plainWords } from './shared/plain-words.ts';
import {
  checkedList,
  checkedText,
  cidrList,
  durationBetween,
  headerText,
  integerBetween,
  list,
  origin,
  publicUrl,
} from './shared/setting-types.ts';
import { StartError } from './shared/start-error.ts';
import { type ConnectionSettings, readConnectionSettings, temporalAddress } from './temporal/connection-settings.ts';

export const roles = ['all', 'api', 'worker', 'migrate', 'restore', 'backup-sql', 'reseal'] as const;
export type Role = (typeof roles)[number];

/** Nine delays between ten attempts: 10 s to 80 m, 2 h 39 m in total. */
const defaultSchedule = '10s,30s,1m,2m,5m,10m,20m,40m,80m';

const deliverySchedule = list.transform((parts, context) => {
  if (parts.length !== 9) {
    context.addIssue({ code: 'custom', message: `needs nine delays between the ten attempts, got ${parts.length}` });
    return z.NEVER;
  }
  return parts.map((part) => {
    const delay = durationBetween('1ms', '4h').safeParse(part);
    if (delay.success) return delay.data;
    context.addIssue({ code: 'custom', message: `'${part}': ${delay.error.issues[0]?.message}` });
    return 0;
  });
});

/** A number of events and an age. More events than the limit are not counted (src/events/workflow-backlog.ts). */
const workflowsBacklog = list.transform((parts, context) => {
  const [events = '', age = ''] = parts;
  const wrong = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (parts.length !== 2) return wrong('must be a number of events and an age, such as 10000,5m');
  const number = integerBetween(1, countedStarts - 1).safeParse(events);
  if (!number.success) return wrong(`'${events}': ${number.error.issues[0]?.message}`);
  const duration = durationBetween('1s', '24h').safeParse(age);
  if (!duration.success) return wrong(`'${age}': ${duration.error.issues[0]?.message}`);
  return { events: number.data, ageMs: duration.data };
});

/** A variable of Temporal's other SDKs. The Node SDK always verifies the host name. */
const hostVerification = z
  .stringbool()
  .refine(
    (disabled) => !disabled,
    'is not supported; set TEMPORAL_TLS_SERVER_NAME to the name in the certificate of the server',
  );

const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: integerBetween(0, 65535).prefault('8080'),
  PUBLIC_URL: publicUrl.optional(),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: checkedText(databaseUrlMistake).optional(),
  TEMPORAL_ADDRESS: temporalAddress.optional(),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_TASK_QUEUE: z.string().default('webhook-deliveries'),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_TLS: z.stringbool().optional(),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: z.string().optional(),
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: z.string().optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().optional(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: z.string().optional(),
  TEMPORAL_TLS_CLIENT_CERT_DATA: z.string().optional(),
  TEMPORAL_TLS_CLIENT_KEY_PATH: z.string().optional(),
  TEMPORAL_TLS_CLIENT_KEY_DATA: z.string().optional(),
  TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: hostVerification.optional(),
  TEMPORAL_PROFILE: z.string().optional(),
  TEMPORAL_CONFIG_FILE: z.string().optional(),
  TEMPORAL_UI_PORT: integerBetween(1, 65535).prefault('8233'),
  TEMPORAL_UI_URL: origin.optional(),
  ADMIN_TOKEN: adminToken.optional(),
  ADMIN_TOKENS: adminTokens.optional(),
  TRUSTED_PROXIES: checkedList(proxyMistake).optional(),
  SECRETS_KEY: secretsKey.optional(),
  SECRETS_KEY_PREVIOUS: secretsKey.optional(),
  MAX_PAYLOAD_BYTES: integerBetween(1, 100 * 1024 * 1024).prefault(String(1024 * 1024)),
  REJECTED_BODY_BYTES: integerBetween(0, 100 * 1024 * 1024).prefault(String(16 * 1024)),
  REJECTED_ACCOUNT_DAILY_BYTES: integerBetween(0, 2 ** 50).prefault(String(32 * 1024 * 1024)),
  REJECTED_DAILY_BYTES: integerBetween(0, 2 ** 50).prefault(String(256 * 1024 * 1024)),
  MAX_BODY_BYTES_IN_FLIGHT: integerBetween(1024 * 1024, 64 * 1024 * 1024 * 1024).optional(),
  MAX_CONNECTIONS: integerBetween(1, 100_000).prefault('2000'),
  DELIVERY_SCHEDULE: deliverySchedule.prefault(defaultSchedule),
  DELIVERY_TIMEOUT: durationBetween('100ms', '2m').prefault('15s'),
  DELIVERY_ALLOWED_NETWORKS: cidrList.optional(),
  DROPPED_HEADERS: checkedList(droppedHeaderMistake).optional(),
  ACCOUNT_CONCURRENCY: integerBetween(1, 10_000).prefault('64'),
  FIRST_ATTEMPT: z.enum(['auto', 'workflow', 'direct']).default('auto'),
  FIRST_ATTEMPT_PERMITS: integerBetween(1, 1000).prefault('4'),
  EVENT_WORKFLOWS: z.enum(eventWorkflows).default('always'),
  EVENT_WORKFLOWS_BACKLOG: workflowsBacklog.prefault('10000,5m'),
  MAIL_FROM_EMAIL: z.email().default('webhook-gateway@localhost.localdomain'),
  SENDGRID_API_KEY: headerText.optional(),
  SENDGRID_BASE_URL: origin
    .refine(
      (text) => URL.parse(text)?.href === `${URL.parse(text)?.origin}/`,
      'must be an origin, such as https://api.sendgrid.com, without a path',
    )
    .prefault('https://api.sendgrid.com'),
  NOTIFY_BURST: integerBetween(1, 1000).optional(),
  BACKUP_DIR: z.string().optional(),
  BACKUP_URL: checkedText(s3AddressMistake).optional(),
  BACKUP_KEEP: integerBetween(1, 10_000).prefault('14'),
  BACKUP_ENCRYPT: z.stringbool().default(true),
  AUDIT_RETENTION_DAYS: integerBetween(7, 36_500).prefault('90'),
  EVENT_RETENTION_DAYS: integerBetween(1, 36_500).optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
});

/** The default budget for all bodies in flight, in bytes, unless a large MAX_PAYLOAD_BYTES needs more. */
const defaultBodyBytesInFlight = 64 * 1024 * 1024;
/** One client may use a quarter of the budget, and the largest body has to fit into it. */
const bodiesInFlight = 4;

/** Adds the checks that involve several settings. */
const settings = environment.superRefine((given, context) => {
  const leastInFlight = bodiesInFlight * given.MAX_PAYLOAD_BYTES;
  if (given.MAX_BODY_BYTES_IN_FLIGHT !== undefined && given.MAX_BODY_BYTES_IN_FLIGHT < leastInFlight)
    context.addIssue({
      code: 'custom',
      path: ['MAX_BODY_BYTES_IN_FLIGHT'],
      message: `must be ${leastInFlight} or more, four times MAX_PAYLOAD_BYTES: one client gets a quarter of it`,
    });
  if (given.EVENT_WORKFLOWS === 'on_retry' && given.FIRST_ATTEMPT === 'workflow')
    context.addIssue({
      code: 'custom',
      path: ['EVENT_WORKFLOWS'],
      message:
        'on_retry excludes FIRST_ATTEMPT=workflow: workflows cannot make first attempts if events get none before; unset one of them',
    });
  if (given.ADMIN_TOKENS?.some(({ token }) => token === given.ADMIN_TOKEN))
    context.addIssue({ code: 'custom', path: ['ADMIN_TOKENS'], message: 'holds the token of ADMIN_TOKEN, too' });
  if (given.ADMIN_TOKEN !== undefined && given.ADMIN_TOKENS?.some(({ name }) => name === 'admin'))
    context.addIssue({
      code: 'custom',
      path: ['ADMIN_TOKENS'],
      message: "has the name 'admin', which is that of ADMIN_TOKEN",
    });
});

type Environment = Record<string, string | undefined>;

/** Whether an operator runs this role on a single backup. */
const readsBackups = (role: Role) => role === 'restore' || role === 'backup-sql';
/** Whether an operator starts this role and it ends by itself. */
const isOneOff = (role: Role) => readsBackups(role) || role === 'reseal';

/**
 * The required settings that are missing for a role, one sentence for each. `all` has its own servers, key and token.
 * `restore` and `reseal` use those of `all` unless others are set, and `backup-sql` needs no server.
 */
function missingFor(role: Role, env: Record<string, string | undefined>, temporal: TemporalSettings): string[] {
  if (role === 'all' || isOneOff(role)) return [];
  const missing: string[] = [];
  if (!env.DATABASE_URL)
    missing.push(`DATABASE_URL: the role '${role}' needs a PostgreSQL (only 'npm start' brings its own)`);
  if (role === 'worker' && temporal.address === null)
    missing.push("TEMPORAL_ADDRESS: the role 'worker' needs a Temporal server");
  if (role !== 'migrate' && !env.SECRETS_KEY)
    missing.push(
      `SECRETS_KEY: the role '${role}' needs the key that all roles share; make one with: openssl rand -base64 32`,
    );
  if (role === 'api' && !env.ADMIN_TOKEN && !env.ADMIN_TOKENS)
    missing.push("ADMIN_TOKEN or ADMIN_TOKENS: the role 'api' needs a token for operators");
  return missing;
}

type TemporalSettings = ConnectionSettings & { mistakes: readonly string[] };
const noTemporal: TemporalSettings = {
  ...{ address: null, namespace: null, apiKey: null, tls: false, metadata: {} },
  mistakes: [],
};

/**
 * The connection settings for Temporal. Without `TEMPORAL_ADDRESS`, `all` runs its own server, for which the settings
 * of other servers in the environment or in the user's home must not be used.
 */
function temporalOf(role: Role, env: Environment, tls: boolean | undefined): TemporalSettings {
  if (role === 'migrate' || role === 'restore') return noTemporal;
  if (role === 'all' && !env.TEMPORAL_ADDRESS) return { ...noTemporal, namespace: env.TEMPORAL_NAMESPACE || null };
  const read = readConnectionSettings({ ...env, ...(tls === undefined ? {} : { TEMPORAL_TLS: String(tls) }) });
  return 'settings' in read ? { ...read.settings, mistakes: [] } : { ...noTemporal, mistakes: read.mistakes };
}

/**
 * Reads all settings of the gateway from `env`. No other code reads the environment.
 *
 * @throws StartError that lists all mistakes. It does not repeat values that may be secrets.
 */
export function readConfig(role: Role, env: Environment) {
  // An empty value counts as not set, for `VARIABLE= npm start` and for empty entries of an .env file.
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  // As in libpq. Only for DATABASE_URL, because the embedded PostgreSQL has no TLS.
  if (set.DATABASE_URL && set.PGSSLMODE) set.DATABASE_URL = withDefaultSslMode(set.DATABASE_URL, set.PGSSLMODE);
  const parsed = settings.safeParse(set, { error: plainWords });
  // If a TEMPORAL_ variable is invalid, reading the connection settings would report it again.
  const temporal = parsed.error?.issues.some(({ path }) => String(path[0]).startsWith('TEMPORAL_'))
    ? { ...noTemporal, address: set.TEMPORAL_ADDRESS ?? null }
    : temporalOf(role, env, parsed.data?.TEMPORAL_TLS);
  const mistakes = [
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path[0]?.toString()}: ${issue.message}`),
    ...temporal.mistakes,
    ...(temporal.mistakes.length > 0 && role === 'worker'
      ? missingFor(role, set, { ...temporal, address: 'unknown' })
      : missingFor(role, set, temporal)),
  ];
  if (!parsed.success || mistakes.length > 0) {
    throw new StartError(`These settings are wrong:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`);
  }
  const e = parsed.data;
  // The default folder for backups of `all`, so that its backups can be restored by name.
  const backupDir = e.BACKUP_DIR ?? (readsBackups(role) && !e.DATABASE_URL ? join(e.DATA_DIR, 'backups') : null);
  return {
    role,
    host: e.HOST,
    port: e.PORT,
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
      uiUrl: e.TEMPORAL_UI_URL ?? null,
    },
    adminTokens: [...(e.ADMIN_TOKEN ? [{ name: 'admin', token: e.ADMIN_TOKEN }] : []), ...(e.ADMIN_TOKENS ?? [])],
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
    delivery: {
      delaysMs: e.DELIVERY_SCHEDULE,
      timeLimitMs: e.DELIVERY_TIMEOUT,
      allowedNetworks: e.DELIVERY_ALLOWED_NETWORKS ?? (role === 'all' ? ['127.0.0.0/8', '::1/128'] : []),
      droppedHeaders: e.DROPPED_HEADERS ?? [],
      accountConcurrency: e.ACCOUNT_CONCURRENCY,
      firstAttempt: e.FIRST_ATTEMPT,
      firstAttemptPermits: e.FIRST_ATTEMPT_PERMITS,
      eventWorkflows: e.EVENT_WORKFLOWS,
      eventWorkflowsBacklog: e.EVENT_WORKFLOWS_BACKLOG,
    },
    notifications: {
      mail: {
        from: e.MAIL_FROM_EMAIL,
        sendgrid: e.SENDGRID_API_KEY ? { apiKey: e.SENDGRID_API_KEY, baseUrl: e.SENDGRID_BASE_URL } : null,
        // Only `all` has an outbox: several machines have no common folder that an operator would check.
        outboxDir: null,
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
    // Level `info` has a line for each event and attempt, which suits log collectors but not a terminal.
    logLevel: e.LOG_LEVEL ?? (role === 'all' || isOneOff(role) ? 'warn' : 'info'),
    /** The machine's own variables for finding programs and folders. */
    machine: { path: env.PATH ?? '', cacheHome: env.XDG_CACHE_HOME ?? null, home: env.HOME ?? null },
  };
}

export type Config = ReturnType<typeof readConfig>;
