import { describe, expect, test } from 'vitest';
import { type Role, readConfig, roles } from '../src/config/config.ts';
import { StartError } from '../src/shared/start-error.ts';

const s3Form = 's3://bucket/prefix?region=eu-central-1&endpoint=https://…';
type Env = Record<string, string | undefined>;

/** The error that stops the start; null if the settings are valid. */
function refusal(env: Env, role: Role = 'all'): string | null {
  try {
    readConfig(role, env);
    return null;
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
}

const key = Buffer.alloc(32, 7).toString('base64');

const tokenForm = 'must be name:token or name:token:role between commas; the roles are read, operate, admin';
const misspeltRole = `${tokenForm}; the text after the last colon is none of these (after a token that contains a colon, the role is required)`;
const weakToken =
  'a token must have 16 characters or more, 8 of them different; make one with: openssl rand -base64 24';
const nine = (first: string) => [first, ...Array(8).fill('1s')].join(',');

describe('invalid values', () => {
  test.each<[name: string, value: string, says: string]>([
    ['PORT', '65536', 'must be between 0 and 65535'],
    ['PORT', '-1', 'must be a whole number'],
    ['PORT', 'http', 'must be a whole number'],
    ['PORT', '80.5', 'must be a whole number'],
    ['PUBLIC_URL', 'hooks.test', 'must be an http: or https: URL'],
    ['PUBLIC_URL', 'ftp://hooks.test', 'must be an http: or https: URL'],
    ['PUBLIC_URL', 'https://user:hush@hooks.test', 'must hold no user, password, query or fragment'],
    ['PUBLIC_URL', 'https://hooks.test/?token=hush', 'must hold no user, password, query or fragment'],
    ['DATABASE_URL', 'mysql://h/d', 'must be a postgresql:// URL'],
    ['DATABASE_URL', 'localhost:5432', 'must be a postgresql:// URL'],
    ['TEMPORAL_ADDRESS', 'temporal', 'must be host:port'],
    ['TEMPORAL_ADDRESS', 'http://temporal:7233', 'must be host:port'],
    ['TEMPORAL_ADDRESS', 'temporal:99999', 'must have a port from 1 to 65535'],
    ['TEMPORAL_ADDRESS', 'temporal:0', 'must have a port from 1 to 65535'],
    ['WORKER_QUEUES', 'deliveries,mails', 'must be some of: deliveries, notifications, maintenance, backups'],
    ['WORKER_QUEUES', ' , ', 'must be some of: deliveries, notifications, maintenance, backups'],
    ['TEMPORAL_TLS', 'maybe', 'must be one of: true, 1, yes, on, y, enabled, false, 0, no, off, n, disabled'],
    ['TEMPORAL_UI_PORT', '0', 'must be between 1 and 65535'],
    ['TEMPORAL_RETENTION_HOURS', '0', 'must be between 1 and 87600'],
    ['TEMPORAL_UI_URL', 'ui', 'must be an http: or https: URL'],
    ...['password', '0123456789abcde', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'abcdefgabcdefgabcdefg'].flatMap(
      (weak): [string, string, string][] => [
        ['ADMIN_TOKEN', weak, weakToken],
        ['ADMIN_TOKENS', `bob:the-token-of-bob,ann:${weak}`, weakToken],
      ],
    ),
    ['ADMIN_TOKENS', 'no-name-here', tokenForm],
    ['ADMIN_TOKENS', 'ann:', tokenForm],
    ['ADMIN_TOKENS', ':token-without-name', tokenForm],
    ['ADMIN_TOKENS', 'ann::read', tokenForm],
    ['ADMIN_TOKENS', 'ann:the-token-of-ann:', misspeltRole],
    ['ADMIN_TOKENS', 'ann:the-token-of-ann:Read', misspeltRole],
    ['ADMIN_TOKENS', 'ann:the-token-of-ann:read:', misspeltRole],
    ['ADMIN_TOKENS', 'ann:the-token:of-ann', misspeltRole],
    ['ADMIN_TOKENS', 'ann:hush:read', weakToken],
    ['ADMIN_TOKENS', 'ann:the-token-of-ann:read,bob:the-token-of-ann:admin', 'has the same token twice'],
    ['ADMIN_TOKENS', ' , ', 'holds no name:token pair'],
    ['ADMIN_TOKEN', 'tökenised-and-long-enough', 'may hold visible ASCII characters only'],
    ['ADMIN_TOKEN', ' blanks-around-a-token ', 'may hold visible ASCII characters only'],
    ['ADMIN_TOKENS', 'ann:tökenised-and-long-enough', 'may hold visible ASCII characters only'],
    ['ADMIN_TOKENS', 'ann:the-first-token-1,ann:the-second-token', 'has the same name twice'],
    ['ADMIN_TOKENS', 'ann:the-first-token-1,bob:the-first-token-1', 'has the same token twice'],
    ['SECRETS_KEY', 'too-short', 'must be 32 bytes in base64 or hex; make one with: openssl rand -base64 32'],
    [
      'SECRETS_KEY',
      Buffer.alloc(33).toString('base64'),
      'must be 32 bytes in base64 or hex; make one with: openssl rand -base64 32',
    ],
    ['SECRETS_KEY', '07'.repeat(31), 'must be 32 bytes in base64 or hex; make one with: openssl rand -base64 32'],
    ['MAX_PAYLOAD_BYTES', '0', 'must be between 1 and 104857600'],
    ['MAX_PAYLOAD_BYTES', '1MB', 'must be a whole number'],
    [
      'MAX_BODY_BYTES_IN_FLIGHT',
      '4194303',
      'must be 4194304 or more, four times MAX_PAYLOAD_BYTES: one client gets a quarter of it',
    ],
    ['MAX_CONNECTIONS', '0', 'must be between 1 and 100000'],
    ['SHUTDOWN_DRAIN', '31s', 'must be between 0s and 30s'],
    ['DELIVERY_TIMEOUT', '99ms', 'must be between 100ms and 2m'],
    ['DELIVERY_TIMEOUT', '121s', 'must be between 100ms and 2m'],
    ['DELIVERY_TIMEOUT', '15', "'15' is not a duration; write it like 200ms, 10s, 1m or 1h"],
    ['DELIVERY_SCHEDULE', '1s,2s', 'needs nine delays between the ten attempts, got 2'],
    ['DELIVERY_SCHEDULE', `${nine('1s')},1s`, 'needs nine delays between the ten attempts, got 10'],
    ['DELIVERY_SCHEDULE', nine('5h'), "'5h': must be between 1ms and 4h"],
    ['DELIVERY_SCHEDULE', nine('0s'), "'0s': must be between 1ms and 4h"],
    ['DELIVERY_SCHEDULE', nine('soon'), "'soon': 'soon' is not a duration; write it like 200ms, 10s, 1m or 1h"],
    ['DELIVERY_ALLOWED_NETWORKS', '10.0.0.0/8,10.0.0.1', "'10.0.0.1' is not a CIDR such as 10.0.0.0/8"],
    ...['x user', 'x-*-user', '*-user', 'x-user:', 'x-üser', '**'].map((name): [string, string, string] => [
      'DROPPED_HEADERS',
      `x-a,${name}`,
      `'${name}' must be a header name such as x-user, or a prefix such as x-internal-*`,
    ]),
    ['DELIVERY_ALLOWED_NETWORKS', '10.0.0.0/33', "'10.0.0.0/33' is not a CIDR such as 10.0.0.0/8"],
    ...['loopback', 'uniquelocal', 'proxy.test', '*', 'true', '1', '10.1', '0x0a000001', '010.0.0.1', '10.0.0.256']
      .concat([
        '10.0.0.0/',
        '10.0.0.0/8/8',
        '10.0.0.0/-1',
        '10.0.0.0/255.0.0.0',
        '/8',
        '10.0.0.1:80',
        '[::1]',
        ':::1/64',
      ])
      .map((part): [string, string, string] => [
        'TRUSTED_PROXIES',
        part,
        `'${part}' must be an address such as 10.0.0.5 or a CIDR such as 10.0.0.0/8`,
      ]),
    ['TRUSTED_PROXIES', '10.0.0.0/33', "'10.0.0.0/33' has a prefix beyond 32"],
    ['TRUSTED_PROXIES', '::/129', "'::/129' has a prefix beyond 128"],
    ['TRUSTED_PROXIES', '0.0.0.0/0', "'0.0.0.0/0' would let every client choose its own address"],
    ['TRUSTED_PROXIES', '::/0', "'::/0' would let every client choose its own address"],
    [
      'TRUSTED_PROXIES',
      '127.0.0.1,10.0.0.5/8',
      "'10.0.0.5/8' has bits beyond its prefix; write 10.0.0.0/8 or 10.0.0.5",
    ],
    [
      'TRUSTED_PROXIES',
      '2001:DB8::5/32',
      "'2001:DB8::5/32' has bits beyond its prefix; write 2001:db8::/32 or 2001:DB8::5",
    ],
    ['ACCOUNT_CONCURRENCY', '0', 'must be between 1 and 10000'],
    ['API_DELIVERS', 'never', 'must be one of: true, 1, yes, on, y, enabled, false, 0, no, off, n, disabled'],
    ...['auto', 'workflow', 'direct'].map((value): [string, string, string] => [
      'FIRST_ATTEMPT',
      value,
      'no longer exists: every api makes first attempts, unless API_DELIVERS=false leaves them to workflows',
    ]),
    [
      'FIRST_ATTEMPT_PERMITS',
      '4',
      'no longer exists: an api makes as many first attempts at a time as ACCOUNT_CONCURRENCY allows',
    ],
    ['EVENT_WORKFLOWS', 'never', 'must be one of: always, on_retry'],
    ...['10000', '5m', '1,2s,3'].map((value): [string, string, string] => [
      'EVENT_WORKFLOWS_BACKLOG',
      value,
      'must be a number of events and an age, such as 10000,5m',
    ]),
    ['EVENT_WORKFLOWS_BACKLOG', '5m,10000', "'5m': must be a whole number"],
    ['EVENT_WORKFLOWS_BACKLOG', '0,5m', "'0': must be between 1 and 99999"],
    ['EVENT_WORKFLOWS_BACKLOG', '100000,5m', "'100000': must be between 1 and 99999"],
    ['EVENT_WORKFLOWS_BACKLOG', '10,5', "'5': '5' is not a duration; write it like 200ms, 10s, 1m or 1h"],
    ['EVENT_WORKFLOWS_BACKLOG', '10,25h', "'25h': must be between 1s and 24h"],
    ['MAIL_FROM_EMAIL', 'ops', 'must be an email address'],
    ['MAIL_FROM_EMAIL', 'Ops <ops@hooks.test>', 'must be an email address'],
    ['SENDGRID_API_KEY', 'SG. key', 'may hold visible ASCII characters only'],
    ['SENDGRID_BASE_URL', 'api.sendgrid.com', 'must be an http: or https: URL'],
    ...[
      ...['https://api.sendgrid.com/v3', 'https://api.sendgrid.com?a=b', 'https://api.sendgrid.com/#a'],
      ...['https://user:password@api.sendgrid.com', 'https://user@api.sendgrid.com/'],
    ].map((value): [string, string, string] => [
      'SENDGRID_BASE_URL',
      value,
      'must be an origin, such as https://api.sendgrid.com, without a path',
    ]),
    ['NOTIFY_BURST', '0', 'must be between 1 and 1000'],
    ['NOTIFY_BURST', '1001', 'must be between 1 and 1000'],
    ['NOTIFY_BURST', 'many', 'must be a whole number'],
    ['BACKUP_URL', 'bucket/folder', `must be an s3:// URL such as ${s3Form}`],
    ['BACKUP_URL', 'https://user:hush@bucket.test', `must be an s3:// URL such as ${s3Form}`],
    ['BACKUP_URL', 's3:///folder', `must be an s3:// URL such as ${s3Form}`],
    ['BACKUP_URL', 's3://b?regoin=x', `has the parameter 'regoin', which is unknown: it has the form ${s3Form}`],
    ['BACKUP_URL', 's3://b?endpoint=ftp://h', 'has an endpoint that is not an http: or https: URL'],
    ...['s3://user:hush@b', 's3://:hush@b', 's3://user@b'].map((value): [string, string, string] => [
      'BACKUP_URL',
      value,
      'must hold no credentials: they come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    ]),
    ['BACKUP_URL', 's3://b?endpoint=https://:hush@h', 'must hold no credentials in its endpoint'],
    ['BACKUP_URL', 's3://b/%zz', "has an invalid percent-encoding in its prefix: write a literal '%' as %25"],
    ['BACKUP_KEEP', '0', 'must be between 1 and 10000'],
    ['AUDIT_RETENTION_DAYS', '6', 'must be between 7 and 36500'],
    ['EVENT_RETENTION_DAYS', '0', 'must be between 1 and 36500'],
    ['LOG_LEVEL', 'loud', 'must be one of: fatal, error, warn, info, debug, trace, silent'],
  ])('%s=%s', (name, value, says) => {
    const message = refusal({ [name]: value });
    const [head, line, ...others] = message?.split('\n') ?? [];
    expect([head, others]).toEqual(['These settings are wrong:', []]);
    expect(line).toBe(`  - ${name}: ${says}`);
  });

  test('the error lists every invalid proxy', () => {
    const message = refusal({ TRUSTED_PROXIES: 'loopback,10.0.0.1,10.0.0.0/33' });
    expect(message?.split('\n')).toHaveLength(3);
    expect(message).toContain("'loopback'");
    expect(message).toContain("'10.0.0.0/33'");
  });

  test('METRICS_PORT must not be PORT, but for a worker, which does not listen on PORT', () => {
    const both = { PORT: '8080', METRICS_PORT: '8080' };
    expect(() => readConfig('all', both)).toThrow('METRICS_PORT: must be another port than PORT');
    expect(readConfig('all', { PORT: '0', METRICS_PORT: '0' }).metricsPort).toBe(0);
    const worker = {
      DATABASE_URL: 'postgresql://h/d',
      TEMPORAL_ADDRESS: 't:1',
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
    };
    expect(readConfig('worker', { ...both, ...worker }).metricsPort).toBe(8080);
  });

  test.each(['api', 'worker'] as const)('%s: a removed setting that is empty is no mistake', (role) => {
    const env = { DATABASE_URL: 'postgresql://h/d', TEMPORAL_ADDRESS: 't:1', SECRETS_KEY: key };
    const all = { ...env, ADMIN_TOKEN: '0123456789abcdef' };
    expect(refusal({ ...all, FIRST_ATTEMPT: '', FIRST_ATTEMPT_PERMITS: '' }, role)).toBeNull();
    expect(refusal({ ...all, FIRST_ATTEMPT: 'auto' }, role)).toContain('- FIRST_ATTEMPT: no longer exists');
  });

  test('one error lists all invalid and all missing settings', () => {
    const env = { PORT: 'x', API_DELIVERS: 'x', DELIVERY_TIMEOUT: 'x', DATABASE_URL: '', ADMIN_TOKEN: 'short' };
    const lines = refusal(env, 'api')?.split('\n').slice(1) ?? [];
    expect(lines.map((line) => /- (\w+):/.exec(line)?.[1]).sort()).toEqual(
      ['ADMIN_TOKEN', 'API_DELIVERS', 'DATABASE_URL', 'DELIVERY_TIMEOUT', 'PORT', 'SECRETS_KEY'].sort(),
    );
  });

  test('errors repeat no secret', () => {
    const message = refusal({
      ADMIN_TOKEN: 'hush-1',
      ADMIN_TOKENS: 'hush-2,ann:hush-3',
      SECRETS_KEY: 'hush-4',
      DATABASE_URL: 'mysql://u:hush-5@h/d',
      TEMPORAL_API_KEY: 'hush-6',
      PUBLIC_URL: 'u:hush-7@h',
    });
    for (const name of ['ADMIN_TOKEN', 'ADMIN_TOKENS', 'SECRETS_KEY', 'DATABASE_URL', 'PUBLIC_URL'])
      expect(message).toContain(`- ${name}: `);
    expect(message).not.toContain('hush');
  });
});

describe('required settings of a role', () => {
  const given: Env = {
    DATABASE_URL: 'postgres://h/d',
    TEMPORAL_ADDRESS: 't:1',
    SECRETS_KEY: key,
    ADMIN_TOKEN: '0123456789abcdef',
  };
  const needs: Record<Role, string[]> = {
    all: [],
    api: ['DATABASE_URL', 'SECRETS_KEY', 'ADMIN_TOKEN'],
    worker: ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'SECRETS_KEY'],
    promote: [],
    migrate: ['DATABASE_URL'],
    restore: [],
    reseal: [],
    'backup-sql': [],
  };
  test.each(roles)('%s', (role) => {
    expect(refusal(given, role)).toBeNull();
    for (const name of Object.keys(given)) {
      const message = refusal({ ...given, [name]: undefined }, role);
      if (needs[role].includes(name)) expect(message).toMatch(new RegExp(`- ${name}\\b.*the role '${role}' needs`));
      else expect(message).toBeNull();
    }
    const lines = refusal({}, role)?.split('\n').slice(1) ?? [];
    expect(lines).toHaveLength(needs[role].length);
  });
  test('a worker that is told to take backups needs a place for them', () => {
    const takes = { ...given, WORKER_QUEUES: 'maintenance, backups' };
    expect(refusal(takes, 'worker')).toContain('BACKUP_DIR or BACKUP_URL: a worker with backups in WORKER_QUEUES');
    expect(refusal({ ...takes, BACKUP_DIR: '/backups' }, 'worker')).toBeNull();
    expect(refusal(takes, 'api')).toBeNull();
    expect(readConfig('worker', { ...takes, BACKUP_DIR: '/backups' }).workerQueues).toEqual(['maintenance', 'backups']);
    expect(readConfig('worker', given).workerQueues).toBeNull();
  });
  test('the name of a deployment and a build are set together', () => {
    expect(refusal({ ...given, TEMPORAL_DEPLOYMENT_NAME: 'hooks' }, 'worker')).toContain(
      'TEMPORAL_WORKER_BUILD_ID: is required with TEMPORAL_DEPLOYMENT_NAME',
    );
    expect(refusal({ ...given, TEMPORAL_WORKER_BUILD_ID: '1' }, 'worker')).toContain(
      'TEMPORAL_DEPLOYMENT_NAME: is required with TEMPORAL_WORKER_BUILD_ID',
    );
    const build = { TEMPORAL_DEPLOYMENT_NAME: 'hooks', TEMPORAL_WORKER_BUILD_ID: '0.3.0+5' };
    expect(readConfig('worker', { ...given, ...build }).build).toEqual({ deploymentName: 'hooks', buildId: '0.3.0+5' });
    expect(readConfig('all', build).build).toBeNull();
    const invalid = { TEMPORAL_DEPLOYMENT_NAME: 'web.hooks', TEMPORAL_WORKER_BUILD_ID: 'a build' };
    expect(refusal({ ...given, ...invalid }, 'worker')).toContain(
      'TEMPORAL_DEPLOYMENT_NAME: must be 1 to 200 letters, digits, _ or -',
    );
    expect(refusal({ ...given, ...invalid }, 'worker')).toContain(
      'TEMPORAL_WORKER_BUILD_ID: must be 1 to 200 letters, digits, ., _, + or -',
    );
  });
  test('ADMIN_TOKENS is sufficient for the api', () => {
    const { ADMIN_TOKEN: _, ...rest } = given;
    expect(refusal({ ...rest, ADMIN_TOKENS: 'ann:the-token-of-ann' }, 'api')).toBeNull();
    expect(refusal({ ...rest, ADMIN_TOKENS: ',' }, 'api')).toContain('ADMIN_TOKENS: holds no name:token pair');
  });
});
