import { expect, test } from 'vitest';
import { type Role, readConfig } from '../src/config/config.ts';
import { settingsInForce } from '../src/config/in-force.ts';
import { startedByVariable } from '../src/config/npm-start.ts';
import { shownAddress } from '../src/config/shown-address.ts';
import { describedVariables } from '../src/config/variables.ts';
import { settingNames } from './docker/files.ts';
import { migratedRoles } from './support/gateway-roles.ts';
import { randomSecretsKey, secretText } from './support/secrets.ts';

const secretsKey = randomSecretsKey().toString('base64');

function inForce(role: Role, env: Record<string, string>, fromFile: string[] = []) {
  const settings = settingsInForce(readConfig(role, env), env, new Set(fromFile));
  return new Map(settings.map((setting) => [setting.name, setting]));
}

test('every variable of the gateway is described, and no other', () => {
  expect(Object.keys(describedVariables).sort()).toEqual(settingNames().sort());
  expect([...inForce('all', {}).keys()].sort()).toEqual(settingNames().sort());
  for (const { name, description, roles } of inForce('all', {}).values()) {
    expect([name, description]).toEqual([name, expect.stringMatching(/^.+[.:]/)]);
    expect([name, description]).toEqual([name, expect.not.stringContaining('](')]);
    expect([name, roles.length > 0]).toEqual([name, true]);
  }
});

test('variables whose name says that they hold a secret are secret', () => {
  const named = settingNames().filter((name) => /TOKEN|SECRET|API_KEY|PASSWORD|KEY_DATA|HEADERS$/.test(name));
  const shown = named.filter((name) => inForce('all', {}).get(name)?.secret !== true);
  // It has names of headers, and no values.
  expect(shown).toEqual(['DROPPED_HEADERS']);
});

test('no secret is shown, and only its source says whether it is set', () => {
  const env = {
    ADMIN_TOKEN: secretText('own-admin-token'),
    ADMIN_TOKENS: `alice:${secretText('token-of-alice')}`,
    SECRETS_KEY: secretsKey,
    SENDGRID_API_KEY: secretText('sendgrid-key'),
  };
  const settings = inForce('all', env);
  for (const [name, value] of Object.entries(env)) {
    expect(settings.get(name)).toMatchObject({ value: null, secret: true, source: 'environment' });
    expect(JSON.stringify([...settings])).not.toContain(value);
  }
});

test('each value has its source', () => {
  const settings = inForce('all', { DELIVERY_TIMEOUT: '20s', PORT: '8081', BACKUP_KEEP: '' }, ['PORT']);
  expect(settings.get('DELIVERY_TIMEOUT')).toMatchObject({ value: '20s', source: 'environment' });
  expect(settings.get('PORT')).toMatchObject({ value: '8081', source: 'env_file' });
  expect(settings.get('BACKUP_KEEP')).toMatchObject({ value: '14', source: 'default' });
  expect(settings.get('PUBLIC_URL')).toMatchObject({ value: null, source: 'none' });
  expect(settings.get('LOG_LEVEL')).toMatchObject({ value: 'warn', source: 'default' });
  expect(settings.get('DELIVERY_ALLOWED_NETWORKS')).toMatchObject({ value: '127.0.0.0/8,::1/128', source: 'default' });
  expect(settings.get('MAX_BODY_BYTES_IN_FLIGHT')).toMatchObject({ value: '67108864', source: 'default' });
  expect(settings.get('BACKUP_DIR')).toMatchObject({ value: '.data/backups', source: 'default' });
  expect(settings.get('SHUTDOWN_DRAIN')).toMatchObject({ value: '0s', source: 'default' });
  expect(settings.get('OTEL_SDK_DISABLED')).toMatchObject({ value: 'false', source: 'default' });
  for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'SECRETS_KEY', 'ADMIN_TOKEN'])
    expect(settings.get(name)).toMatchObject({ value: null, source: 'generated' });
});

test('an api and a worker of npm start show what it has told them', () => {
  const startedBy = {
    ...{ dataDir: '/data', ownTemporal: true },
    ...{
      generated: ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'SECRETS_KEY', 'ADMIN_TOKEN'],
      fromFile: ['DELIVERY_TIMEOUT'],
    },
  };
  const env = {
    ...{ DATABASE_URL: 'postgresql://gateway:pw@127.0.0.1/gateway', TEMPORAL_ADDRESS: '127.0.0.1:7233' },
    ...{ SECRETS_KEY: secretsKey, ADMIN_TOKEN: secretText('admin'), DELIVERY_TIMEOUT: '7s', BACKUP_KEEP: '3' },
    // Settings of other servers, which are not used.
    ...{ PGSSLMODE: 'require', TEMPORAL_TLS: 'true', WORKER_QUEUES: 'backups' },
    [startedByVariable]: JSON.stringify(startedBy),
  };
  for (const role of ['api', 'worker'] as const) {
    const settings = inForce(role, env);
    for (const name of startedBy.generated)
      expect(settings.get(name)).toMatchObject({ value: null, source: 'generated' });
    expect(settings.get('DELIVERY_TIMEOUT')).toMatchObject({ value: '7s', source: 'env_file' });
    expect(settings.get('BACKUP_KEEP')).toMatchObject({ value: '3', source: 'environment' });
    expect(settings.get('SHUTDOWN_DRAIN')).toMatchObject({ value: '0s', source: 'default' });
    expect(settings.get('LOG_LEVEL')).toMatchObject({ value: 'warn', source: 'default' });
    expect(settings.get('BACKUP_DIR')).toMatchObject({ value: '/data/backups', source: 'default' });
    expect(settings.has(startedByVariable)).toBe(false);
    const config = readConfig(role, env);
    expect(config.databaseUrl).toBe(env.DATABASE_URL);
    expect(config.temporal).toMatchObject({ address: '127.0.0.1:7233', tls: false });
    expect(config.workerQueues).toBeNull();
    expect(config.notifications.mail.outboxDir).toBe('/data/outbox');
  }
});

test('the default of an api differs where it is behind a balancer', () => {
  const env = { DATABASE_URL: 'postgresql://db/gateway', SECRETS_KEY: secretsKey, ADMIN_TOKEN: secretText('admin') };
  expect(inForce('api', env).get('SHUTDOWN_DRAIN')).toMatchObject({ value: '5s', source: 'default' });
});

test.each([
  [
    'DATABASE_URL',
    'postgresql://me:pw@db.example:5432/gateway?sslmode=require&password=pw&sslkey=/k',
    'postgresql://db.example:5432/gateway?sslmode=require',
  ],
  ['DATABASE_URL', 'postgresql:///gateway?host=/run&user=me&password=pw', 'postgresql:///gateway'],
  ['DATABASE_URL', 'postgres://me:p%40w@[::1]/gateway#pw', 'postgres://[::1]/gateway'],
  ['DATABASE_URL', 'host=db password=pw', null],
  ['DATABASE_URL', 'postgresql://db/gateway?sslmode=pw%20%26', 'postgresql://db/gateway'],
  [
    'BACKUP_URL',
    's3://bucket/a/b?region=eu-1&endpoint=https%3A%2F%2Fme%3Apw%40s3.example',
    's3://bucket/a/b?region=eu-1&endpoint=https://s3.example',
  ],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://me:pw@otel.example/v1?key=pw', 'https://otel.example/v1'],
  ['DATA_DIR', '/srv/data', '/srv/data'],
])('%s is shown without credentials: %s', (name, given, shown) => {
  expect(shownAddress(name, given)).toBe(shown);
});

test('the api answers with its own settings', async () => {
  const roles = await migratedRoles({ SECRETS_KEY: secretsKey, DELIVERY_TIMEOUT: '3s' });
  const api = await roles.apiHere();
  const answer = await api.admin.request('GET', '/admin/settings');
  expect(answer.status).toBe(200);
  const { role, settings } = answer.body;
  expect(role).toBe('api');
  const of = (name: string) => settings.find((setting: { name: string }) => setting.name === name);
  expect(of('DELIVERY_TIMEOUT')).toMatchObject({ value: '3s', source: 'environment' });
  expect(of('SECRETS_KEY')).toMatchObject({ value: null, source: 'environment', secret: true });
  expect(of('DATABASE_URL').value).toMatch(/^postgresql:\/\/[^@]+$/);
  expect(JSON.stringify(answer.body)).not.toContain(secretsKey);
  expect((await fetch(`${api.baseUrl}/admin/settings`)).status).toBe(401);
  await api.stop();
});
