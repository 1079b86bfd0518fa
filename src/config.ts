import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import ms, { type StringValue } from 'ms';
import { z } from 'zod';
import { s3AddressMistake } from './backups/s3-address.ts';
import { databaseUrlMistake, withDefaultSslMode } from './database/connection-options.ts';
import { droppedHeaderMistake } from './delivery/dropped-headers.ts';
import { proxyMistake } from './http/trusted-proxies.ts';
import { plainWords } from './shared/plain-words.ts';
import { StartError } from './shared/start-error.ts';
import { type ConnectionSettings, readConnectionSettings, temporalAddress } from './temporal/connection-settings.ts';

export const roles = ['all', 'api', 'worker', 'migrate', 'restore', 'backup-sql', 'reseal'] as const;
export type Role = (typeof roles)[number];

/** A duration such as `10s`, `1m` or `200ms`, in milliseconds. A number without a unit is refused as ambiguous. */
const duration = z.string().transform((text, context) => {
  const value = /^\d+(\.\d+)?(ms|s|m|h)$/.test(text.trim()) ? ms(text.trim() as StringValue) : Number.NaN;
  if (Number.isFinite(value)) return Math.round(value);
  context.addIssue({ code: 'custom', message: `'${text}' is not a duration; write it like 200ms, 10s, 1m or 1h` });
  return z.NEVER;
});

const durationBetween = (min: StringValue, max: StringValue) =>
  duration.refine((value) => value >= ms(min) && value <= ms(max), `must be between ${min} and ${max}`);

const integerBetween = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

const cidrList = list.superRefine((parts, context) => {
  for (const part of parts) {
    if (!ipaddr.isValidCIDR(part))
      context.addIssue({ code: 'custom', message: `'${part}' is not a CIDR such as 10.0.0.0/8` });
  }
});

/** Trusted proxies: addresses or CIDRs. */
const proxyList = list.superRefine((parts, context) => {
  for (const part of parts) {
    const mistake = proxyMistake(part);
    if (mistake !== null) context.addIssue({ code: 'custom', message: `'${part}' ${mistake}` });
  }
});

const headerList = list.superRefine((parts, context) => {
  for (const part of parts) {
    const mistake = droppedHeaderMistake(part);
    if (mistake !== null) context.addIssue({ code: 'custom', message: `'${part}' ${mistake}` });
  }
});

const origin = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http: or https: URL')
  .transform((text) => text.replace(/\/+$/, ''));

/** No password, because others receive links with this URL. No query or fragment, because paths are appended. */
const publicUrl = origin.refine((text) => {
  const url = URL.parse(text);
  return url === null || (url.username === '' && url.password === '' && url.search === '' && url.hash === '');
}, 'must hold no user, password, query or fragment');

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

/** The characters that every client sends unchanged in a header. */
const visibleAscii = /^[\x21-\x7e]*$/;
const notVisible = 'may hold visible ASCII characters only';

/**
 * Shorter tokens may be words or dates, which can be guessed. The command in the error message prints 32 characters.
 */
const fewestCharacters = 16;
const fewestDifferent = 8;
const hardToGuess = (token: string) => token.length >= fewestCharacters && new Set(token).size >= fewestDifferent;
const tooWeak = `a token must have ${fewestCharacters} characters or more, ${fewestDifferent} of them different; make one with: openssl rand -base64 24`;

const adminTokens = list.transform((parts, context) => {
  if (parts.length === 0) context.addIssue({ code: 'custom', message: 'holds no name:token pair' });
  const tokens = parts.map((part) => {
    const separator = part.indexOf(':');
    const name = part.slice(0, separator).trim();
    const token = part.slice(separator + 1).trim();
    // The error does not contain the part, because it includes a token.
    if (separator < 1 || !/^[\w.@-]{1,100}$/.test(name) || token === '')
      context.addIssue({ code: 'custom', message: 'must be name:token pairs separated by commas' });
    else if (!hardToGuess(token)) context.addIssue({ code: 'custom', message: tooWeak });
    if (!visibleAscii.test(token)) context.addIssue({ code: 'custom', message: notVisible });
    return { name, token };
  });
  // Names identify operators in the audit log, so they must be unique.
  for (const field of ['name', 'token'] as const)
    if (new Set(tokens.map((given) => given[field])).size < tokens.length)
      context.addIssue({ code: 'custom', message: `has the same ${field} twice` });
  return tokens;
});

const secretsKey = z.string().transform((text, context) => {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (key.length === 32) return new Uint8Array(key);
  context.addIssue({
    code: 'custom',
    message: 'must be 32 bytes in base64 or hex; make one with: openssl rand -base64 32',
  });
  return z.NEVER;
});

// The error does not contain the text, which may include credentials.
const backupUrl = z.string().superRefine((text, context) => {
  const mistake = s3AddressMistake(text);
  if (mistake !== null) context.addIssue({ code: 'custom', message: mistake });
});

// The error does not contain the text, which may include a password.
const databaseUrl = z.string().superRefine((text, context) => {
  const mistake = databaseUrlMistake(text);
  if (mistake !== null) context.addIssue({ code: 'custom', message: mistake });
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
  DATABASE_URL: databaseUrl.optional(),
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
  ADMIN_TOKEN: z.string().regex(visibleAscii, notVisible).refine(hardToGuess, tooWeak).optional(),
  ADMIN_TOKENS: adminTokens.optional(),
  TRUSTED_PROXIES: proxyList.optional(),
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
  DROPPED_HEADERS: headerList.optional(),
  ACCOUNT_CONCURRENCY: integerBetween(1, 10_000).prefault('64'),
  FIRST_ATTEMPT: z.enum(['auto', 'workflow', 'direct']).default('auto'),
  FIRST_ATTEMPT_PERMITS: integerBetween(1, 1000).prefault('4'),
  MAIL_FROM_EMAIL: z.email().default('webhook-gateway@localhost.localdomain'),
  SENDGRID_API_KEY: z.string().regex(visibleAscii, notVisible).optional(),
  SENDGRID_BASE_URL: origin
    .refine(
      (text) => URL.parse(text)?.href === `${URL.parse(text)?.origin}/`,
      'must be an origin, such as https://api.sendgrid.com, without a path',
    )
    .prefault('https://api.sendgrid.com'),
  NOTIFY_BURST: integerBetween(1, 1000).optional(),
  BACKUP_DIR: z.string().optional(),
  BACKUP_URL: backupUrl.optional(),
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
