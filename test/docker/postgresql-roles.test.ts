import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { accountForTest } from '../support/consumer.ts';
import { gatewaysEndWithTheirTest, spawnGateway, temporaryFolder } from '../support/gateway-process.ts';
import { allDelivered, gatewayRoles } from '../support/gateway-roles.ts';
import { askMaintenance, backupEnded, scheduled, triggered } from '../support/maintenance.ts';
import { queryOnce } from '../support/one-connection.ts';
import { ownPostgres } from '../support/own-servers.ts';
import { until } from '../support/until.ts';
import { readProjectFile } from './files.ts';
import { roleStatements } from './roles-sql.ts';

gatewaysEndWithTheirTest();

const passwords = { GATEWAY_POSTGRES_PASSWORD: "it's \\secret", TEMPORAL_POSTGRES_PASSWORD: 'of-temporal' };

/** A PostgreSQL as in the image, with the superuser postgres and after roles.sql. */
async function composePostgres() {
  const { address } = await ownPostgres();
  const at = (username: string, password: string, database: string) =>
    Object.assign(new URL(address), { username, password: encodeURIComponent(password), pathname: `/${database}` })
      .href;
  await queryOnce(address, "create role postgres superuser login password 'super'");
  const superuser = at('postgres', 'super', 'postgres');
  await queryOnce(superuser, 'alter role gateway rename to embedded');
  await queryOnce(superuser, 'alter database gateway rename to embedded');
  for (const statement of roleStatements(passwords)) await queryOnce(superuser, statement);
  return {
    superuser,
    gateway: (database: string) => at('gateway', passwords.GATEWAY_POSTGRES_PASSWORD, database),
    temporal: (database: string) => at('temporal', passwords.TEMPORAL_POSTGRES_PASSWORD, database),
  };
}

/** The error of a statement that PostgreSQL refuses. */
const refused = (url: string, sql = 'select 1') =>
  queryOnce(url, sql).then(
    () => 'done',
    (error: Error) => error.message,
  );

/** The SQL with which docs/backups.md creates a database to restore a backup into. */
function documentedSql(): string[] {
  const line = /^docker compose exec postgresql psql --username=postgres (.*)$/m.exec(
    readProjectFile('docs/backups.md'),
  )?.[1];
  return [...(line ?? '').matchAll(/--command='([^']+)'/g)].map(([, sql]) => sql ?? '');
}

test('the roles have no special rights, and no access to databases of each other', async () => {
  const postgres = await composePostgres();
  const rights = await queryOnce(
    postgres.superuser,
    `select rolname from pg_roles where rolname in ('gateway', 'temporal')
     and not (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls) order by 1`,
  );
  expect(rights).toEqual([{ rolname: 'gateway' }, { rolname: 'temporal' }]);
  expect(await queryOnce(postgres.superuser, 'select 1 from pg_auth_members m where m.member > 16383')).toEqual([]);
  for (const url of [
    ...['temporal', 'temporal_visibility', 'postgres', 'template1'].map(postgres.gateway),
    ...['gateway', 'postgres', 'template1'].map(postgres.temporal),
  ])
    expect(await refused(url)).toMatch(/^permission denied for database /);
  for (const url of [postgres.gateway('gateway'), postgres.temporal('temporal')]) {
    expect(await refused(url, 'create database more')).toBe('permission denied to create database');
    expect(await refused(url, "copy (select 1) to program 'true'")).toMatch(/^permission denied to COPY/);
    expect(await refused(url, "select pg_read_file('/etc/passwd')")).toMatch(/^permission denied for function/);
    expect(await refused(url, 'select * from pg_authid')).toMatch(/^permission denied for table/);
  }
  // Temporal's schema needs this.
  await queryOnce(postgres.temporal('temporal'), 'create table schema_version (version_partition int)');
  await queryOnce(postgres.temporal('temporal_visibility'), 'create extension btree_gin');
});

test("the gateway's role can migrate, deliver, create partitions, back up and restore", async () => {
  const postgres = await composePostgres();
  const dir = join(temporaryFolder('test'), 'backups');
  const roles = gatewayRoles({ databaseUrl: postgres.gateway('gateway'), variables: { BACKUP_DIR: dir } });
  expect(await roles.migrate()).toMatchObject({ code: 0 });
  const [api, worker] = await Promise.all([roles.apiHere(), roles.workerHere()]);
  const { account } = await accountForTest(api.admin);
  expect((await send(api.baseUrl, account, '{"id":"one"}')).status).toBe(202);
  await allDelivered(roles, 1);

  const ofEvents = "from pg_class where relispartition and relkind = 'r' and relname like 'events%'";
  const partitions = async () => (await roles.query(`select 1 ${ofEvents}`)).length;
  const made = await partitions();
  const [last] = await roles.query<{ relname: string }>(`select relname ${ofEvents} order by relname desc limit 1`);
  await roles.query(`drop table ${last?.relname}`);
  expect(await partitions()).toBe(made - 1);
  expect((await triggered(api, 'retention')).last_run.outcome).toBe('completed');
  expect(await partitions()).toBe(made);

  await scheduled(api, 'backup');
  const { body } = await askMaintenance(api, 'POST', '/admin/backups/trigger');
  const backup = await until('the backup has ended', () => backupEnded(api, body.id).catch(() => null));
  expect(backup).toMatchObject({ status: 'completed', error: null });
  expect(readdirSync(dir, { recursive: true })).toEqual([backup.name]);
  await Promise.all([api.stop(), worker.stop()]);

  const sql = documentedSql();
  expect(sql).toHaveLength(2);
  for (const statement of sql) await queryOnce(postgres.superuser, statement);
  const restored = postgres.gateway('gateway_restored');
  const restore = spawnGateway('restore', { ...roles.variables, DATABASE_URL: restored }, [backup.name]);
  expect((await restore.exited).code, restore.stderr()).toBe(0);
  expect(await queryOnce(restored, 'select delivery_status from events')).toEqual([{ delivery_status: 'delivered' }]);
  expect(await refused(postgres.temporal('gateway_restored'))).toMatch(/^permission denied for database/);
  const elsewhere = gatewayRoles({
    databaseUrl: restored,
    variables: { ...roles.variables, TEMPORAL_TASK_QUEUE: `restored-${randomBytes(6).toString('hex')}` },
  });
  const again = await elsewhere.apiHere({ DATABASE_URL: restored });
  expect((await again.admin.request('GET', '/admin/accounts')).body).toHaveLength(1);
});
