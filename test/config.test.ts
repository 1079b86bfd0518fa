import { describe, expect, test } from 'vitest';
import { readConfig, roles } from '../src/config/config.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const all = (env: Record<string, string | undefined> = {}) => readConfig('all', env);
const second = 1_000;
const minute = 60 * second;

test('without any setting all values are defaults', () => {
  expect(all()).toMatchObject({
    role: 'all',
    host: '127.0.0.1',
    port: 8080,
    publicUrl: null,
    dataDir: '.data',
    databaseUrl: null,
    temporal: {
      address: null,
      namespace: 'default',
      taskQueue: 'webhook-deliveries',
      apiKey: null,
      tls: false,
      metadata: {},
      uiPort: 8233,
      retentionHours: 72,
      uiUrl: null,
    },
    adminTokens: [],
    trustedProxies: [],
    secretsKey: null,
    maxPayloadBytes: 1024 * 1024,
    startedBy: null,
    apiDelivers: true,
    delivery: {
      delaysMs: [
        ...[10 * second, 30 * second, minute, 2 * minute, 5 * minute],
        ...[10 * minute, 20 * minute, 40 * minute, 80 * minute],
      ],
      timeLimitMs: 15 * second,
      allowedNetworks: ['127.0.0.0/8', '::1/128'],
      droppedHeaders: [],
      accountConcurrency: 64,
      eventWorkflows: 'always',
      eventWorkflowsBacklog: { events: 10_000, ageMs: 5 * minute },
    },
    notifications: {
      mail: { from: 'webhook-gateway@localhost.localdomain', sendgrid: null, outboxDir: null },
      burst: null,
    },
    maintenance: {
      backup: { dir: null, url: null, keep: 14, encrypt: true },
      auditRetentionDays: 90,
      eventRetentionDays: null,
    },
    logLevel: 'warn',
  });
});

test('an empty setting counts as not set', () => {
  const names = 'HOST PORT PUBLIC_URL DATA_DIR DATABASE_URL TEMPORAL_ADDRESS ADMIN_TOKEN ADMIN_TOKENS SECRETS_KEY';
  const more = 'MAX_PAYLOAD_BYTES DELIVERY_SCHEDULE DELIVERY_TIMEOUT DELIVERY_ALLOWED_NETWORKS API_DELIVERS LOG_LEVEL';
  const maintenance = 'BACKUP_DIR BACKUP_URL BACKUP_KEEP BACKUP_ENCRYPT AUDIT_RETENTION_DAYS EVENT_RETENTION_DAYS';
  const mail = 'MAIL_FROM_EMAIL SENDGRID_API_KEY SENDGRID_BASE_URL NOTIFY_BURST';
  expect(
    all(Object.fromEntries(`${names} ${more} ${mail} ${maintenance}`.split(' ').map((name) => [name, '']))),
  ).toEqual(all());
});

test('variables that are not settings are ignored', () => {
  expect(all({ PATH: '/bin', HOME: '/root', EDITOR: 'ed' }).machine).toEqual({
    path: '/bin',
    cacheHome: null,
    home: '/root',
  });
});

test('BACKUP_URL takes precedence over BACKUP_DIR', () => {
  const { backup } = all({ BACKUP_DIR: '/backups', BACKUP_URL: 's3://bucket' }).maintenance;
  expect(backup).toMatchObject({ dir: null, url: 's3://bucket' });
});

describe('values', () => {
  // biome-ignore lint/suspicious/noExplicitAny: each row reads another part of the settings
  test.each<[name: string, value: string, of: (config: any) => unknown, expected: unknown]>([
    ['HOST', '0.0.0.0', (c) => c.host, '0.0.0.0'],
    ['PORT', '0', (c) => c.port, 0],
    ['PORT', '65535', (c) => c.port, 65535],
    ['PUBLIC_URL', 'https://hooks.test/', (c) => c.publicUrl, 'https://hooks.test'],
    ['PUBLIC_URL', 'https://hooks.test/gateway//', (c) => c.publicUrl, 'https://hooks.test/gateway'],
    ['DATA_DIR', '/var/lib/gateway', (c) => c.dataDir, '/var/lib/gateway'],
    ['DATABASE_URL', 'postgres://u:p@h:5432/d', (c) => c.databaseUrl, 'postgres://u:p@h:5432/d'],
    ['DATABASE_URL', 'postgresql://h/d?sslmode=require', (c) => c.databaseUrl, 'postgresql://h/d?sslmode=require'],
    ['TEMPORAL_ADDRESS', 'temporal:7233', (c) => c.temporal.address, 'temporal:7233'],
    ['TEMPORAL_NAMESPACE', 'hooks', (c) => c.temporal.namespace, 'hooks'],
    ['TEMPORAL_TASK_QUEUE', 'q', (c) => c.temporal.taskQueue, 'q'],
    ['TEMPORAL_UI_PORT', '9000', (c) => c.temporal.uiPort, 9000],
    ['TEMPORAL_RETENTION_HOURS', '24', (c) => c.temporal.retentionHours, 24],
    ['TEMPORAL_UI_URL', 'http://ui.test:8080/', (c) => c.temporal.uiUrl, 'http://ui.test:8080'],
    [
      'ADMIN_TOKEN',
      '0123456789abcdef',
      (c) => c.adminTokens,
      [{ name: 'admin', token: '0123456789abcdef', role: 'admin' }],
    ],
    ['SECRETS_KEY', key, (c) => [...c.secretsKey], Array(32).fill(7)],
    ['SECRETS_KEY', '07'.repeat(32), (c) => [...c.secretsKey], Array(32).fill(7)],
    ['MAX_PAYLOAD_BYTES', '1', (c) => c.maxPayloadBytes, 1],
    ['MAX_PAYLOAD_BYTES', '104857600', (c) => c.maxPayloadBytes, 104857600],
    ['MAX_PAYLOAD_BYTES', '104857600', (c) => c.maxBodyBytesInFlight, 4 * 104857600],
    ['MAX_BODY_BYTES_IN_FLIGHT', '4194304', (c) => c.maxBodyBytesInFlight, 4194304],
    ['MAX_CONNECTIONS', '1', (c) => c.maxConnections, 1],
    ['SHUTDOWN_DRAIN', '0s', (c) => c.shutdownDrainMs, 0],
    ['SHUTDOWN_DRAIN', '30s', (c) => c.shutdownDrainMs, 30_000],
    ['DELIVERY_TIMEOUT', '100ms', (c) => c.delivery.timeLimitMs, 100],
    ['DELIVERY_TIMEOUT', '2m', (c) => c.delivery.timeLimitMs, 2 * minute],
    ['DELIVERY_TIMEOUT', '1.5s', (c) => c.delivery.timeLimitMs, 1500],
    [
      'DELIVERY_SCHEDULE',
      '1ms, 200ms,1s,1.5s,1m,2m,1h,2h,4h',
      (c) => c.delivery.delaysMs,
      [1, 200, 1000, 1500, minute, 2 * minute, 60 * minute, 120 * minute, 240 * minute],
    ],
    [
      'DELIVERY_ALLOWED_NETWORKS',
      '10.0.0.0/8, fd00::/8,',
      (c) => c.delivery.allowedNetworks,
      ['10.0.0.0/8', 'fd00::/8'],
    ],
    ['TRUSTED_PROXIES', '10.0.0.5', (c) => c.trustedProxies, ['10.0.0.5']],
    [
      'TRUSTED_PROXIES',
      '10.0.0.0/8, 192.0.2.1/32,::1,2001:db8::/32 ,::ffff:10.0.0.1,128.0.0.0/1,',
      (c) => c.trustedProxies,
      ['10.0.0.0/8', '192.0.2.1/32', '::1', '2001:db8::/32', '::ffff:10.0.0.1', '128.0.0.0/1'],
    ],
    ['TRUSTED_PROXIES', ',', (c) => c.trustedProxies, []],
    [
      'DROPPED_HEADERS',
      'X-User, x_internal*,$ws*,*',
      (c) => c.delivery.droppedHeaders,
      ['X-User', 'x_internal*', '$ws*', '*'],
    ],
    ['ACCOUNT_CONCURRENCY', '10000', (c) => c.delivery.accountConcurrency, 10_000],
    ['API_DELIVERS', 'false', (c) => c.apiDelivers, false],
    ['API_DELIVERS', 'true', (c) => c.apiDelivers, true],
    ['EVENT_WORKFLOWS', 'on_retry', (c) => c.delivery.eventWorkflows, 'on_retry'],
    [
      ...(['EVENT_WORKFLOWS_BACKLOG', ' 500 , 90s '] as const),
      (c) => c.delivery.eventWorkflowsBacklog,
      { events: 500, ageMs: 90_000 },
    ],
    ['MAIL_FROM_EMAIL', 'ops@hooks.test', (c) => c.notifications.mail.from, 'ops@hooks.test'],
    [
      'SENDGRID_API_KEY',
      'SG.key',
      (c) => c.notifications.mail.sendgrid,
      { apiKey: 'SG.key', baseUrl: 'https://api.sendgrid.com' },
    ],
    ['SENDGRID_BASE_URL', 'https://api.eu.sendgrid.com', (c) => c.notifications.mail.sendgrid, null],
    ['NOTIFY_BURST', '1', (c) => c.notifications.burst, 1],
    ['NOTIFY_BURST', '1000', (c) => c.notifications.burst, 1000],
    ['BACKUP_DIR', '/backups', (c) => c.maintenance.backup, { dir: '/backups', url: null, keep: 14, encrypt: true }],
    [
      'BACKUP_URL',
      's3://bucket/a',
      (c) => c.maintenance.backup,
      { dir: null, url: 's3://bucket/a', keep: 14, encrypt: true },
    ],
    ['BACKUP_KEEP', '1', (c) => c.maintenance.backup.keep, 1],
    ['BACKUP_ENCRYPT', 'false', (c) => c.maintenance.backup.encrypt, false],
    ['AUDIT_RETENTION_DAYS', '7', (c) => c.maintenance.auditRetentionDays, 7],
    ['EVENT_RETENTION_DAYS', '1', (c) => c.maintenance.eventRetentionDays, 1],
    ['LOG_LEVEL', 'debug', (c) => c.logLevel, 'debug'],
  ])('%s=%s', (name, value, of, expected) => expect(of(all({ [name]: value }))).toEqual(expected));

  test('a token of ADMIN_TOKENS cannot be named admin or equal ADMIN_TOKEN', () => {
    const shared = { ADMIN_TOKEN: 'token-of-the-admin', ADMIN_TOKENS: 'ann:token-of-the-admin' };
    expect(() => readConfig('all', shared)).toThrow('ADMIN_TOKENS: holds the token of ADMIN_TOKEN, too');
    const env = { ADMIN_TOKEN: 'token-of-the-admin', ADMIN_TOKENS: 'admin:another-token-of-it' };
    expect(() => readConfig('all', env)).toThrow("ADMIN_TOKENS: has the name 'admin', which is that of ADMIN_TOKEN");
  });

  test('ADMIN_TOKENS have names and roles; admin is the role of a token without one', () => {
    const env = {
      ADMIN_TOKEN: 'a:token:with:colons:read',
      ADMIN_TOKENS:
        'ann:the-token-of-ann, bob@x.test:a:b:c:d:e:f:g:h:i:operate , cy : the-token-of-cyr : read,d:dddd-token-of-dd:admin',
    };
    expect(all(env).adminTokens).toEqual([
      { name: 'admin', token: 'a:token:with:colons:read', role: 'admin' },
      { name: 'ann', token: 'the-token-of-ann', role: 'admin' },
      { name: 'bob@x.test', token: 'a:b:c:d:e:f:g:h:i', role: 'operate' },
      { name: 'cy', token: 'the-token-of-cyr', role: 'read' },
      { name: 'd', token: 'dddd-token-of-dd', role: 'admin' },
    ]);
  });

  test.each([
    ['https://api.eu.sendgrid.com', 'https://api.eu.sendgrid.com'],
    ['https://api.eu.sendgrid.com/', 'https://api.eu.sendgrid.com'],
    ['http://127.0.0.1:8025', 'http://127.0.0.1:8025'],
  ])('SENDGRID_BASE_URL=%s is used with the key', (given, baseUrl) => {
    const { mail } = all({ SENDGRID_API_KEY: 'SG.key', SENDGRID_BASE_URL: given }).notifications;
    expect(mail.sendgrid).toEqual({ apiKey: 'SG.key', baseUrl });
  });

  test('loopback is allowed only by default in npm start, and without a warning', () => {
    const shared = {
      DATABASE_URL: 'postgres://h/d',
      TEMPORAL_ADDRESS: 't:1',
      SECRETS_KEY: key,
      ADMIN_TOKEN: '0123456789abcdef',
    };
    for (const role of roles) {
      const config = readConfig(role, shared);
      expect(config.delivery.allowedNetworks).toEqual(role === 'all' ? ['127.0.0.0/8', '::1/128'] : []);
      expect(config.logLevel).toBe(
        ['all', 'promote', 'restore', 'reseal', 'backup-sql'].includes(role) ? 'warn' : 'info',
      );
    }
  });
});
