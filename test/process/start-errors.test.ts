import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Role } from '../../src/config/config.ts';
import { programsOnPath } from '../../src/embedded/programs-on-path.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { startedFolder, startWholeGateway } from '../support/gateway-all.ts';
import { gatewaysEndWithTheirTest, processesOn, spawnGateway, temporaryFolder } from '../support/gateway-process.ts';
import { gatewayRoles, migratedRoles } from '../support/gateway-roles.ts';
import { listen } from '../support/listen.ts';
import { queryOnce } from '../support/one-connection.ts';
import { roleHere } from '../support/role-here.ts';
import type { RunningRole } from '../support/running-role.ts';
import { secretText } from '../support/secrets.ts';
import { toUnreleased, unreleasedMigrations } from '../support/unreleased-schema.ts';
import { until } from '../support/until.ts';

gatewaysEndWithTheirTest();

type Start = (role: Role, variables: Record<string, string | undefined>) => RunningRole;

/**
 * Starts a gateway that cannot start, and returns its standard error.
 *
 * @param start `roleHere` where another case with the same role checks the end of a process.
 */
async function refusal(
  role: string,
  variables: Record<string, string | undefined>,
  start: Start = spawnGateway,
): Promise<string> {
  const gateway = start(role as Role, { PORT: '0', ...variables });
  const { code, signal } = await gateway.exited;
  // Lines of the log may precede the error: a worker's health checks answer before the worker has started.
  const said = gateway.stderr().replaceAll(/^\{"level":30,.*\n/gm, '');
  expect({ code, signal, said }).toEqual({ code: 1, signal: null, said: expect.any(String) });
  // Errors are sentences, without a stack trace, JSON or a printed object.
  expect(said).not.toMatch(/^\s+at .+:\d+/m);
  expect(said).not.toMatch(/^\{"level"|\[Object|\[cause\]|Error:/m);
  expect(said.trim()).toMatch(/^[A-Z'].*[.)\w]$/s);
  expect(gateway.stdout()).not.toContain('is up');
  const { DATA_DIR: dataDir } = variables;
  // The kernel needs a moment to remove processes that have ended.
  if (dataDir) await until('no process is left', () => processesOn([dataDir]).length === 0);
  return said;
}

async function takenPort(): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  onTestFinished(() => void server.close());
  return listen(server);
}

/** A port on which no process listens: the system gives it to none that asks for any port. */
const closedPort = 1;

test('a host that is not an address of this machine is reported', async () => {
  const roles = await migratedRoles({});
  expect(await refusal('api', { ...roles.variables, HOST: '192.0.2.1' }, roleHere)).toContain('HOST=192.0.2.1');
});

test('a foreign folder, a damaged marker and a file are refused and left unchanged', async () => {
  const foreign = temporaryFolder();
  writeFileSync(join(foreign, 'thesis.txt'), 'years of work');
  expect(await refusal('all', { DATA_DIR: foreign })).toContain('thesis.txt');
  expect(readdirSync(foreign)).toEqual(['thesis.txt']);

  const damaged = temporaryFolder();
  writeFileSync(join(damaged, 'gateway.json'), '{"form');
  expect(await refusal('all', { DATA_DIR: damaged })).toContain('gateway.json is damaged');
  expect(readdirSync(damaged)).toEqual(['gateway.json']);

  expect(await refusal('all', { DATA_DIR: join(foreign, 'thesis.txt') })).toContain('DATA_DIR');
});

test('a damaged database folder is reported, nothing in it is deleted, and no process is left', async () => {
  const dataDir = await startedFolder();
  writeFileSync(join(dataDir, 'postgres', 'data', 'global', 'pg_control'), 'rubbish');
  const said = await refusal('all', { DATA_DIR: dataDir });
  expect(said).toContain('The embedded PostgreSQL did not start');
  expect(said).toContain('Nothing was deleted');
});

test('one error lists all wrong settings, and repeats no secret', async () => {
  const said = await refusal('all', {
    PORT: 'eighty',
    DELIVERY_SCHEDULE: '10s,30',
    DELIVERY_TIMEOUT: '15',
    DELIVERY_ALLOWED_NETWORKS: '10.0.0.0',
    API_DELIVERS: 'soon',
    FIRST_ATTEMPT: 'direct',
    SECRETS_KEY: secretText('a-key-that-nobody-may-see'),
    ADMIN_TOKENS: `name:${secretText('hunter2')}, no-name-but-${secretText('hunter3')}`,
    DATABASE_URL: `mysql://user:${secretText('hunter4')}@example.org/db`,
    TEMPORAL_ADDRESS: 'http://example.org',
    PUBLIC_URL: 'example.org',
    LOG_LEVEL: 'loud',
  });
  const named = [...said.matchAll(/^ {2}- (\w+): /gm)].map(([, name]) => name);
  expect(new Set(named)).toEqual(
    new Set([
      ...['PORT', 'DELIVERY_SCHEDULE', 'DELIVERY_TIMEOUT', 'DELIVERY_ALLOWED_NETWORKS', 'API_DELIVERS', 'SECRETS_KEY'],
      ...['FIRST_ATTEMPT', 'ADMIN_TOKENS', 'DATABASE_URL', 'TEMPORAL_ADDRESS', 'PUBLIC_URL', 'LOG_LEVEL'],
    ]),
  );
  expect(said).not.toMatch(/hunter|nobody-may-see/);
});

test.each([
  ['all', { ADMIN_TOKEN: 'password' }],
  ['api', { ADMIN_TOKEN: '', ADMIN_TOKENS: 'ann:passwordpassword' }],
])('%s: a weak admin token is refused, and the error says how to generate one', async (role, tokens) => {
  const { variables } = gatewayRoles({ databaseUrl: 'postgresql://someone@127.0.0.1:1/db' });
  const said = await refusal(role, { ...variables, ...tokens }, roleHere);
  expect(said).toContain('16 characters or more, 8 of them different; make one with: openssl rand -base64 24');
  expect(said).not.toMatch(/password/);
});

test.each([
  ['api', ['DATABASE_URL', 'SECRETS_KEY', 'ADMIN_TOKEN']],
  ['worker', ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'SECRETS_KEY']],
  ['migrate', ['DATABASE_URL']],
])('the role %s without any setting names all that it needs', async (role, needed) => {
  const said = await refusal(role, {}, roleHere);
  expect([...said.matchAll(/^ {2}- (\w+)/gm)].map(([, name]) => name)).toEqual(needed);
});

test('an unknown role is refused', async () => {
  expect(await refusal('wroker', {})).toContain(
    "There is no role 'wroker'. The roles are: all, api, worker, promote, migrate, restore, backup-sql, reseal.",
  );
});

test.each(['all', 'api', 'worker', 'migrate'])('%s: a DATABASE_URL without a server is reported', async (role) => {
  const dataDir = temporaryFolder();
  const { variables } = gatewayRoles({
    databaseUrl: `postgresql://someone:${secretText('hunter2')}@127.0.0.1:${closedPort}/db`,
  });
  const start = role === 'api' ? roleHere : spawnGateway;
  const said = await refusal(role, { ...variables, DATA_DIR: dataDir }, start);
  expect(said).toContain('DATABASE_URL');
  expect(said).toContain(`127.0.0.1:${closedPort}`);
  expect(said).not.toContain('hunter2');
});

test.each(['api', 'worker', 'migrate'])('%s: a wrong password in DATABASE_URL is reported', async (role) => {
  const url = new URL(await freshDatabase());
  url.password = secretText('hunter2');
  const said = await refusal(role, gatewayRoles({ databaseUrl: url.href }).variables, roleHere);
  expect(said).toContain('DATABASE_URL');
  expect(said).toContain('password');
  expect(said).not.toContain('hunter2');
});

test.each(['api', 'worker'])('%s: a database that is not migrated is reported', async (role) => {
  const said = await refusal(role, gatewayRoles({ databaseUrl: await freshDatabase() }).variables, roleHere);
  expect(said).toContain('npm run migrate');
});

test.each(['all', 'api', 'worker', 'migrate', 'reseal'])(
  '%s: the schema of a version before the first release is refused and left unchanged',
  async (role) => {
    const databaseUrl = await migratedDatabase();
    await toUnreleased(databaseUrl);
    await queryOnce(databaseUrl, `insert into gateway_settings (key, value) values ('kept', 'x')`);
    const dataDir = role === 'all' ? { DATA_DIR: temporaryFolder() } : {};
    const start = role === 'all' ? spawnGateway : roleHere;
    const said = await refusal(role, { ...gatewayRoles({ databaseUrl }).variables, ...dataDir }, start);
    expect(said).toContain(
      `${new URL(databaseUrl).pathname.slice(1)} has the schema of a version from before the first`,
    );
    expect(said).toContain('(migration Migration20261120000000_initial and 16 more)');
    expect(said).toContain('Start this version with an empty database');
    expect(said).toContain('Keep the old version running on the old database');
    expect(await queryOnce(databaseUrl, 'select name from mikro_orm_migrations order by name')).toEqual(
      unreleasedMigrations.map((name) => ({ name })),
    );
    expect(await queryOnce(databaseUrl, 'select key from gateway_settings')).toEqual([{ key: 'kept' }]);
  },
);

test.each(['api', 'migrate'])('%s: the schema of a newer version is refused', async (role) => {
  const databaseUrl = await migratedDatabase();
  await queryOnce(databaseUrl, `insert into mikro_orm_migrations (name) values ('Migration20990101000000_later')`);
  const said = await refusal(role, gatewayRoles({ databaseUrl }).variables);
  expect(said).toContain('is newer than this program, which does not know its migration Migration20990101000000_later');
  expect(said).toContain('Start the version that migrated it');
});

test.each(['api', 'migrate'])('%s: a missing database is reported and not created', async (role) => {
  const server = await freshDatabase();
  const url = new URL(server);
  url.pathname += '_mistyped';
  const said = await refusal(role, gatewayRoles({ databaseUrl: url.href }).variables, roleHere);
  expect(said).toContain('no such database');
  expect(said).toContain('Create it');
  const made = await queryOnce(server, 'select 1 from pg_database where datname = $1', [url.pathname.slice(1)]);
  expect(made).toEqual([]);
});

test('with a taken port, or without Temporal, Go and network, the start says what to do and stops the servers again', async () => {
  const dataDir = await startedFolder();
  const port = await takenPort();
  const taken = await refusal('all', { DATA_DIR: dataDir, PORT: String(port) });
  expect(taken).toContain(`Port ${port} on 127.0.0.1 is taken`);
  expect(taken).toContain('PORT=');

  const tools = temporaryFolder();
  const cache = join(tools, 'cache');
  mkdirSync(cache);
  // Where Go is a package of the system, it is in the folder of these programs.
  for (const name of ['sh', 'id'])
    symlinkSync((await programsOnPath(name, '/usr/bin:/bin'))[0] ?? name, join(tools, name));
  const said = await refusal('all', {
    DATA_DIR: dataDir,
    PATH: tools,
    XDG_CACHE_HOME: cache,
    // A closed port.
    HTTPS_PROXY: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://127.0.0.1:9',
    https_proxy: 'http://127.0.0.1:9',
  });
  expect(said).toContain('The Temporal server is not on this machine and could not be fetched');
  expect(said).toContain('there is no Go on PATH');
  expect(said).toContain('TEMPORAL_ADDRESS');
  expect(readdirSync(join(cache, 'webhook-gateway', readdirSync(join(cache, 'webhook-gateway'))[0] ?? ''))).toEqual([]);
  // The folder is intact: with a free port and with Temporal, it starts.
  await startWholeGateway(dataDir);
});
