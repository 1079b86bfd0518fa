import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { keptMemory, settings } from '../../src/embedded/postgres.ts';
import { compose, composeText, parseCompose, readProjectFile } from './files.ts';
import { filled, names, networks, service, services, volumes } from './services.ts';

/** The schema of the specification, a file of dclint to which the package exports no path. */
function specification(): object {
  const folder = dirname(createRequire(import.meta.url).resolve('dclint/package.json'));
  // It names its dialect with https:, and Ajv knows draft 07 with http: only.
  return { ...JSON.parse(readFileSync(join(folder, 'schemas/compose.schema.json'), 'utf8')), $schema: undefined };
}

describe('docker-compose.yml', () => {
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(specification());

  test('is valid by the compose specification, as written and with its variables filled in', () => {
    validate(parseCompose());
    expect(validate.errors).toBeNull();
    validate(compose(filled));
    expect(validate.errors).toBeNull();
  });

  test('the schema finds an error', () => {
    expect(validate(parseCompose(composeText().replace('depends_on:', 'depend_on:')))).toBe(false);
    expect(validate(parseCompose(composeText().replace('service_healthy', 'healthy')))).toBe(false);
  });

  test('has the services of all roles', () => {
    expect(names).toEqual([
      ...['postgresql', 'temporal-schema', 'temporal', 'temporal-namespace', 'temporal-ui'],
      ...['migrate', 'api', 'worker', 'gateway', 'prometheus', 'grafana', 'otel-collector'],
    ]);
  });

  test('starts the servers for monitoring only with their profile', () => {
    const monitoring = ['prometheus', 'grafana', 'otel-collector'];
    for (const name of names)
      expect(service(name).profiles, name).toEqual(monitoring.includes(name) ? ['monitoring'] : undefined);
    for (const name of names.filter((other) => !monitoring.includes(other)))
      for (const on of Object.keys(service(name).depends_on ?? {})) expect(monitoring).not.toContain(on);
  });

  test('gives no container privileges to gain, and those of the gateway none at all', () => {
    for (const name of names) expect(service(name).security_opt, name).toEqual(['no-new-privileges:true']);
    for (const name of ['migrate', 'api', 'worker'])
      expect(service(name), name).toMatchObject({
        ...{ read_only: true, cap_drop: ['ALL'], tmpfs: [expect.stringMatching(/^\/tmp:size=\d+m/)] },
        ...{ mem_limit: expect.stringMatching(/^\d+g$/), cpus: expect.any(Number), pids_limit: expect.any(Number) },
      });
  });

  test('gives webhooks and first attempts the processors before workflows', () => {
    const lowered = names.filter((name) => service(name).cpu_shares !== undefined);
    expect(lowered.toSorted()).toEqual(['temporal', 'worker']);
    for (const name of lowered) expect(service(name).cpu_shares).toBeLessThan(1_024);
  });

  test('runs PostgreSQL as npm start does, but for more connections', () => {
    const { environment, command } = service('postgresql');
    expect(environment).toMatchObject(keptMemory);
    const [program, ...options] = command ?? [];
    expect(program).toBe('postgres');
    const set = Object.fromEntries(options.map((option) => option.replace(/^-c/, '').split('=')));
    const { max_connections, ...others } = set;
    expect(Number(max_connections)).toBeGreaterThan(Number(settings.max_connections));
    expect(Object.keys(others)).toHaveLength(4);
    expect(settings).toMatchObject(others);
  });

  test('waits only for services that end or have a health check', () => {
    const waits = names.flatMap((name) =>
      Object.entries(service(name).depends_on ?? {}).map(([on, { condition }]) => ({ name, on, condition })),
    );
    expect(waits.length).toBeGreaterThan(8);
    for (const { name, on, condition } of waits) {
      const target = service(on);
      const where = `${name} waits for ${on}`;
      if (condition === 'service_healthy') expect(target.healthcheck?.test, where).toBeDefined();
      // The wait for a service that does not end by itself would be endless.
      else expect([condition, target.restart], where).toEqual(['service_completed_successfully', 'on-failure:5']);
    }
  });

  test('all clients of Temporal have its address and the same namespace', () => {
    const job = service('temporal-namespace').environment;
    const ui = service('temporal-ui').environment;
    const worker = service('worker').environment;
    const api = service('api').environment;
    for (const environment of [job, ui, worker, api]) expect(environment?.TEMPORAL_ADDRESS).toBe('temporal:7233');
    const other = compose({ ...filled, TEMPORAL_NAMESPACE: 'webhooks' }).services;
    expect([
      other['temporal-namespace']?.environment?.NAMESPACE,
      other['temporal-ui']?.environment?.TEMPORAL_DEFAULT_NAMESPACE,
      other.worker?.environment?.TEMPORAL_NAMESPACE,
      other.api?.environment?.TEMPORAL_NAMESPACE,
    ]).toEqual(['webhooks', 'webhooks', 'webhooks', 'webhooks']);
  });

  test('each role waits for the schema, and the worker for the namespace too', () => {
    const waitsFor = (name: string) => Object.keys(service(name).depends_on ?? {});
    expect(waitsFor('migrate')).toEqual(['postgresql']);
    expect(waitsFor('api')).toEqual(['migrate']);
    expect(waitsFor('worker')).toEqual(['migrate', 'temporal-namespace']);
  });

  test('pins every image to an exact version', () => {
    for (const name of names) expect(service(name).image, name).toMatch(/:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
  });

  test('publishes only the gateway and web pages, on this machine only', () => {
    const published = names.flatMap((name) => (service(name).ports ?? []).map((port) => `${name} ${port}`));
    expect(published).toEqual([
      ...['temporal-ui 127.0.0.1:8233:8080', 'gateway 127.0.0.1:8080:8080'],
      ...['prometheus 127.0.0.1:9090:9090', 'grafana 127.0.0.1:3000:3000'],
    ]);
  });

  test('the api trusts the fixed address of nginx and no other container', () => {
    const [network] = networks.default.ipam.config;
    if (!network) throw new Error('there is no network');
    const nginx = service('gateway').networks?.default?.ipv4_address ?? '';
    expect(readConfig('api', service('api').environment ?? {}).trustedProxies).toEqual([nginx]);
    const [subnet, others] = [ipaddr.parseCIDR(network.subnet), ipaddr.parseCIDR(network.ip_range)];
    expect(ipaddr.parse(nginx).match(subnet)).toBe(true);
    expect(others[0].match(subnet)).toBe(true);
    expect(ipaddr.parse(nginx).match(others)).toBe(false);
    expect(nginx).not.toBe(network.gateway);
    // TRUSTED_PROXIES in .env does not change this, and a change of the network applies to all addresses.
    const moved = compose({ ...filled, TRUSTED_PROXIES: '0.0.0.0/1', SUBNET_PREFIX: '192.168.77' });
    expect(moved.services.api?.environment?.TRUSTED_PROXIES).toBe('192.168.77.2');
    expect(moved.services.gateway?.networks?.default?.ipv4_address).toBe('192.168.77.2');
    expect(moved.networks.default.ipam.config).toEqual([
      { subnet: '192.168.77.0/24', gateway: '192.168.77.1', ip_range: '192.168.77.128/25' },
    ]);
  });

  test('nginx trusts no proxy in front of it unless .env names one', () => {
    expect(service('gateway').environment).toEqual({ PROXY_IN_FRONT: 'unix:' });
    const changed = compose({ ...filled, PROXY_IN_FRONT: '10.213.42.1' }).services.gateway?.environment;
    expect(changed).toEqual({ PROXY_IN_FRONT: '10.213.42.1' });
    const used = [...readProjectFile('docker/nginx/templates/real-ip.conf.template').matchAll(/\$\{(\w+)\}/g)];
    expect(used.map(([, name]) => name)).toEqual(['PROXY_IN_FRONT']);
  });

  test('the gateway and Temporal have separate PostgreSQL roles, and no service is the superuser', () => {
    const password = (name: keyof typeof filled) => filled[name];
    for (const name of ['migrate', 'api', 'worker']) {
      const url = new URL(service(name).environment?.DATABASE_URL ?? '');
      expect([url.username, url.password]).toEqual(['gateway', password('GATEWAY_POSTGRES_PASSWORD')]);
    }
    const { SQL_USER, SQL_PASSWORD } = service('temporal-schema').environment ?? {};
    const { POSTGRES_USER, POSTGRES_PWD } = service('temporal').environment ?? {};
    const ofTemporal = ['temporal', password('TEMPORAL_POSTGRES_PASSWORD')];
    expect([SQL_USER, SQL_PASSWORD, POSTGRES_USER, POSTGRES_PWD]).toEqual([...ofTemporal, ...ofTemporal]);
    for (const name of names.filter((other) => other !== 'postgresql'))
      expect(JSON.stringify(service(name)), name).not.toContain(password('POSTGRES_PASSWORD'));
    // The role may not create databases, and does not need to.
    expect(service('temporal-schema').command?.join()).not.toContain(' create');
  });

  test('api and worker can be scaled: no fixed names, no published ports', () => {
    for (const name of ['api', 'worker']) expect(Object.keys(service(name)), name).not.toContain('container_name');
    expect([service('api').ports, service('worker').ports]).toEqual([undefined, undefined]);
    const replicas = (of: typeof services) => [of.api?.deploy?.replicas, of.worker?.deploy?.replicas];
    expect(replicas(services)).toEqual(['2', '2']);
    expect(replicas(compose({ ...filled, API_REPLICAS: '3', WORKER_REPLICAS: '4' }).services)).toEqual(['3', '4']);
  });

  test('all roles use the database with another name into which a backup was restored', () => {
    const restored = compose({ ...filled, GATEWAY_DATABASE: 'gateway_restored' }).services;
    const databases = (from: typeof services) =>
      ['migrate', 'api', 'worker'].map((name) => new URL(from[name]?.environment?.DATABASE_URL ?? '').pathname);
    expect(databases(services)).toEqual(['/gateway', '/gateway', '/gateway']);
    expect(databases(restored)).toEqual(['/gateway_restored', '/gateway_restored', '/gateway_restored']);
    // The server and its first database do not change.
    expect(restored.postgresql).toEqual(services.postgresql);
    // As in docs/backups.md: `docker compose run --rm --no-deps worker node src/main.ts restore …`.
    const { databaseUrl, maintenance } = readConfig('restore', restored.worker?.environment ?? {});
    expect(databaseUrl).toMatch(/@postgresql:5432\/gateway_restored\?/);
    expect(maintenance.backup.dir).toBe('/backups');
    expect(restored.worker?.volumes).toContain('backups:/backups');
    const commands = /^```sh\ndocker compose stop [\s\S]*?^```/m.exec(readProjectFile('docs/backups.md'))?.[0] ?? '';
    const used = [...commands.matchAll(/^docker compose (?:stop|exec|run(?: --\S+)*) (.*)$/gm)].map(
      ([, rest = '']) => rest,
    );
    expect(used.map((rest) => rest.split(' ')[0])).toEqual(['api', 'postgresql', 'worker', 'worker']);
  });

  test('contains no secrets, and names a missing one', () => {
    const required = ['SECRETS_KEY', 'ADMIN_TOKEN', 'POSTGRES_PASSWORD', 'GATEWAY_POSTGRES_PASSWORD'] as const;
    for (const name of [...required, 'TEMPORAL_POSTGRES_PASSWORD'] as const) {
      expect(() => compose({ ...filled, [name]: '' })).toThrow(`set ${name} in .env, see .env.example`);
      expect(composeText()).not.toContain(filled[name]);
    }
    for (const [line] of composeText().matchAll(/^.*(?:PASSWORD|_PWD|SECRETS_KEY|TOKENS?|API_KEY):.*$/gm))
      expect(line).toMatch(/: (\$\{\w+:[?-]|postgresql:\/\/gateway:\$\{)/);
  });

  test('mounts files and volumes that exist', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const mounts = names.flatMap((name) => (service(name).volumes ?? []).map((volume) => volume.split(':')[0] ?? ''));
    expect(mounts).toEqual([
      ...['databases', './docker/postgresql', './docker/temporal', 'backups'],
      ...['./docker/nginx/nginx.conf', './docker/nginx/templates', './deploy/prometheus', 'prometheus'],
      ...['./deploy/grafana/provisioning', './deploy/grafana/dashboard.json', 'grafana'],
      './deploy/otel/collector.yaml',
    ]);
    for (const mount of mounts) {
      if (mount.startsWith('.')) expect(existsSync(join(root, mount)), mount).toBe(true);
      else expect(Object.keys(volumes)).toContain(mount);
    }
  });

  test('keeps closed workflows for three days, starts activities eagerly, spares connections, writes lists once a second, and cuts hanging workers off', () => {
    const job = service('temporal-namespace');
    const retentions = [...(job.command?.join('') ?? '').matchAll(/--retention (\S+)/g)].map(([, time]) => time);
    expect(retentions).toEqual(['"$RETENTION"', '"$RETENTION"']);
    expect(job.environment?.RETENTION).toBe('72h');
    const [folder, target] = service('temporal').volumes?.[0]?.split(':') ?? [];
    const file = service('temporal').environment?.DYNAMIC_CONFIG_FILE_PATH ?? '';
    expect(dirname(file)).toBe(target);
    const settings = parse(readProjectFile(`${folder}/dynamic-config.yaml`));
    const tasksAtOnce = (kind: string) => [`history.${kind}ProcessorSchedulerWorkerCount`, [{ value: 16 }]];
    expect(settings).toEqual({
      'system.enableActivityEagerExecution': [{ value: true }],
      ...Object.fromEntries(['timer', 'transfer', 'visibility'].map(tasksAtOnce)),
      'history.visibilityProcessorMaxPollRPS': [{ value: 1 }],
      'history.visibilityTaskBatchSize': [{ value: 1_000 }],
      'frontend.keepAliveTime': [{ value: '10s' }],
      'frontend.keepAliveTimeout': [{ value: '5s' }],
    });
  });
});
