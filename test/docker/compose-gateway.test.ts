import { describe, expect, test } from 'vitest';
import { type Role, readConfig } from '../../src/config/config.ts';
import { compose, settingNames } from './files.ts';
import { filled, service } from './services.ts';

describe("the gateway's containers", () => {
  const roles = ['migrate', 'api', 'worker'] as const satisfies Role[];
  const environmentOf = (role: (typeof roles)[number]) => service(role).environment ?? {};

  test.each(roles)('%s gets only variables that the gateway reads, and a configuration that it accepts', (role) => {
    const environment = environmentOf(role);
    expect(settingNames()).toEqual(expect.arrayContaining(Object.keys(environment)));
    const config = readConfig(role, environment);
    expect(config.databaseUrl).toBe('postgresql://gateway:fedcba9876543210@postgresql:5432/gateway?sslmode=disable');
    // Migrate connects to PostgreSQL only.
    expect(config.temporal.address).toBe(role === 'migrate' ? null : 'temporal:7233');
    expect(service(role).command ?? ['node', 'src/main.ts', 'api']).toEqual(['node', 'src/main.ts', role]);
  });

  test('run with defaults without any optional variable', () => {
    const { SECRETS_KEY, ADMIN_TOKEN, POSTGRES_PASSWORD, GATEWAY_POSTGRES_PASSWORD, TEMPORAL_POSTGRES_PASSWORD } =
      filled;
    const passwords = { POSTGRES_PASSWORD, GATEWAY_POSTGRES_PASSWORD, TEMPORAL_POSTGRES_PASSWORD };
    expect(compose({ SECRETS_KEY, ADMIN_TOKEN, ...passwords })).toEqual(compose(filled));
    const worker = readConfig('worker', environmentOf('worker'));
    expect(worker.delivery).toEqual({ ...readConfig('all', {}).delivery, allowedNetworks: [] });
  });

  test('get every setting of .env, unless it concerns this machine', () => {
    const passed = new Set(roles.flatMap((role) => Object.keys(environmentOf(role))));
    const left = settingNames().filter((name) => !passed.has(name));
    // The URL of the compose file names its sslmode; and Temporal of the compose file has neither TLS nor API keys.
    const ofOtherTemporals = /^TEMPORAL_(API_KEY|TLS|PROFILE|CONFIG_FILE)/;
    expect(left.filter((name) => !ofOtherTemporals.test(name))).toEqual([
      'DATA_DIR',
      'PGSSLMODE',
      'TEMPORAL_UI_PORT',
      'TEMPORAL_RETENTION_HOURS',
    ]);
  });

  test('have the same settings of deliveries, e-mail and links in api and worker', () => {
    const changes = {
      ...{ PUBLIC_URL: 'https://hooks.test', MAIL_FROM_EMAIL: 'ops@hooks.test', SENDGRID_API_KEY: 'SG.key' },
      ...{
        DELIVERY_SCHEDULE: Array(9).fill('2s').join(),
        DELIVERY_TIMEOUT: '30s',
        DELIVERY_ALLOWED_NETWORKS: '10.0.0.0/8',
      },
      ...{ DROPPED_HEADERS: 'x-user', ACCOUNT_CONCURRENCY: '8', EVENT_WORKFLOWS: 'on_retry', NOTIFY_BURST: '5' },
    };
    const { api, worker } = compose({ ...filled, ...changes }).services;
    const [ofApi, ofWorker] = [
      readConfig('api', api?.environment ?? {}),
      readConfig('worker', worker?.environment ?? {}),
    ];
    expect(ofApi.delivery).toEqual(ofWorker.delivery);
    expect(ofApi.delivery).toMatchObject({
      ...{ delaysMs: Array(9).fill(2_000), timeLimitMs: 30_000, allowedNetworks: ['10.0.0.0/8'] },
      ...{ droppedHeaders: ['x-user'], accountConcurrency: 8, eventWorkflows: 'on_retry' },
    });
    expect(ofApi.notifications).toEqual(ofWorker.notifications);
    expect(ofApi.notifications).toMatchObject({
      mail: { from: 'ops@hooks.test', sendgrid: { apiKey: 'SG.key' } },
      burst: 5,
    });
    expect([ofApi.publicUrl, ofWorker.publicUrl]).toEqual(['https://hooks.test', 'https://hooks.test']);
    // By default links lead to the published address of nginx.
    for (const role of ['api', 'worker'] as const)
      expect(readConfig(role, environmentOf(role)).publicUrl).toBe('http://127.0.0.1:8080');
  });

  test('of all workers share a volume for backups', () => {
    const { backup } = readConfig('worker', environmentOf('worker')).maintenance;
    expect(backup).toEqual({ dir: '/backups', url: null, keep: 14, encrypt: true });
    expect(service('worker').volumes).toEqual(['backups:/backups']);
    const bucket = compose({ ...filled, BACKUP_URL: 's3://bucket/folder' }).services.worker?.environment ?? {};
    expect(readConfig('worker', bucket).maintenance.backup).toMatchObject({ dir: null, url: 's3://bucket/folder' });
  });

  test('get the settings that an operator changes in .env', () => {
    const changed = compose({ ...filled, DELIVERY_TIMEOUT: '30s', MAX_PAYLOAD_BYTES: '5000000', PORT: '9000' });
    expect(readConfig('worker', changed.services.worker?.environment ?? {}).delivery.timeLimitMs).toBe(30_000);
    expect(readConfig('api', changed.services.api?.environment ?? {}).maxPayloadBytes).toBe(5_000_000);
    expect(readConfig('api', environmentOf('api')).apiDelivers).toBe(true);
    const held = compose({ ...filled, API_DELIVERS: 'false' }).services.api?.environment ?? {};
    expect(readConfig('api', held).apiDelivers).toBe(false);
    expect(changed.services.gateway?.ports).toEqual(['127.0.0.1:9000:8080']);
  });
});
