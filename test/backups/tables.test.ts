import { expect, test } from 'vitest';
import { gatewayTables, leftOut } from '../../src/backups/tables.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { createLog } from '../../src/shared/log.ts';
import { freshDatabase } from '../support/database.ts';
import { queryOnce } from '../support/one-connection.ts';
import { backUp, folderStore } from './support.ts';

test('every table is in the archive or left out for a reason; referenced tables come first', async () => {
  const url = await freshDatabase();
  await migrateOnce(url, createLog('silent'));
  const found = await queryOnce<{ name: string }>(
    url,
    `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`,
  );
  const { rowsByTable } = await backUp(url, folderStore());
  const archived = Object.keys(rowsByTable);
  const wanted = found.map(({ name }) => name).filter((name) => !(name in leftOut));
  expect([...archived].sort()).toEqual(wanted.sort());
  expect([...gatewayTables].sort()).toEqual(wanted.sort());
  expect(archived.indexOf('accounts')).toBeLessThan(archived.indexOf('destinations'));
});
