import { pino } from 'pino';
import { expect, test } from 'vitest';
import { gatewayTables } from '../../src/backups/tables.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { createLog } from '../../src/shared/log.ts';
import { freshDatabase } from '../support/database.ts';
import { openClient } from '../support/one-connection.ts';
import { ownRole } from '../support/own-role.ts';
import { backUp, folderStore, restore } from './support.ts';

/** A gateway's database with its own role, and a connection of the administrator to it. */
async function stage() {
  const role = await ownRole();
  const url = await role.database();
  await migrateOnce(url, createLog('silent'));
  const admin = await openClient(role.asAdmin(url));
  role.before(() => admin.end());
  const told: { level: number; tables: { name: string; why: string }[] }[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void told.push(JSON.parse(line)) });
  return { role, url, admin, told, log };
}

test('tables of other applications are left out and logged, and stop no backup', async () => {
  const { role, url, admin, told, log } = await stage();
  await admin.query('create table monitoring (id integer); insert into monitoring values (1)');
  await admin.query('create table readable (id integer)');
  await admin.query(`grant select on readable to ${role.name}`);
  await admin.query('create table logs (id integer) partition by range (id)');
  await admin.query('create table logs_1 partition of logs for values from (1) to (2)');
  await admin.query(`set role ${role.name}`);
  await admin.query('create table own_logs (id integer) partition by range (id)');
  await admin.query('create table own_logs_1 partition of own_logs for values from (1) to (2)');
  await admin.query('create table quoted ("userId" integer)');
  await admin.query('create table "Quoted" (id integer)');
  await admin.query('create table nothing ()');
  await admin.query('create table own (id integer); insert into own values (1)');
  await admin.query('create table of_extension (id integer)');
  await admin.query('reset role');
  await admin.query('alter extension plpgsql add table of_extension');
  const store = folderStore();
  const { name, rowsByTable } = await backUp(url, store, { log });
  expect(Object.keys(rowsByTable).sort()).toEqual([...gatewayTables, 'own'].sort());
  expect(told).toEqual([expect.objectContaining({ level: 40 })]);
  expect(Object.fromEntries(told.flatMap(({ tables }) => tables.map((table) => [table.name, table.why])))).toEqual({
    ...{ monitoring: 'it belongs to another role', readable: 'it belongs to another role' },
    ...{ logs: 'it belongs to another role', own_logs: 'its partitions are not days' },
    ...{ of_extension: 'it belongs to an extension' },
    ...{ quoted: 'it has a name that needs quotes, or no columns' },
    ...{ Quoted: 'it has a name that needs quotes, or no columns' },
    ...{ nothing: 'it has a name that needs quotes, or no columns' },
  });
  expect(await restore(await freshDatabase(), store, name)).toMatchObject({ skipped: ['own'] });
});

test('a table of the gateway that cannot be read fails the backup, also if another role owns it', async () => {
  const { url, admin, log, told } = await stage();
  await admin.query('alter table destinations owner to current_user');
  await expect(backUp(url, folderStore(), { log })).rejects.toThrow(/permission denied for table destinations/);
  expect(told).toEqual([]);
});
