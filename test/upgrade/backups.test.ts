import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { oldestUpgrade, squashed } from '../../src/database/applied-migrations.ts';
import { firstMigration, migrations } from '../../src/database/migrations.ts';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { addAccount } from '../../src/roles/undone.ts';
import { createLog } from '../../src/shared/log.ts';
import { backUp, folderStore, neverAborted, restore, testKeyring } from '../backups/support.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { gatewaysEndWithTheirTest, spawnGateway } from '../support/gateway-process.ts';
import { secretsKeyOf } from '../support/keyring.ts';
import { queryOnce } from '../support/one-connection.ts';
import { receivedEvent } from '../support/received.ts';
import { schemaDump } from './dump.ts';
import { useReleaseBefore } from './load-release-before.ts';

gatewaysEndWithTheirTest();
const log = createLog('silent');
const before = useReleaseBefore();

const setting = (url: string) => queryOnce(url, `insert into gateway_settings (key, value) values ('kept', '"yes"')`);
const kept = (url: string) => queryOnce(url, `select value from gateway_settings where key = 'kept'`);

function backUpBefore(url: string, store: ReturnType<typeof folderStore>) {
  const id = '01890000-0000-7000-8000-000000000001';
  return before.writeBackup(
    { database: { url }, store, keyring: testKeyring, encrypt: true, log },
    { id, signal: neverAborted, onProgress: () => undefined },
  );
}

/** The release before verifies a backup and restores it. */
async function restoreBefore(url: string, store: ReturnType<typeof folderStore>, name: string) {
  const source = { name, open: () => store.read(name) };
  const { manifest } = await before.verifyArchive(source, { keyring: testKeyring });
  return before.restoreArchive({ url, keyring: testKeyring, log, onProgress: () => undefined }, source, manifest);
}

const added = migrations.filter((each) => each !== firstMigration).map(({ name }) => name);

test.each([
  ['on a database of its own', freshDatabase, added],
  ['on a database of this one', migratedDatabase, []],
])('a backup that the release before made %s is restored', async (_, database, missing) => {
  const [from, into, store] = [await database(), await freshDatabase(), folderStore()];
  await before.migrateOnce(from, log);
  await setting(from);
  const { name } = await backUpBefore(from, store);
  const { migrated, skipped } = await restore(into, store, name);
  // Indexes that are built concurrently come after the other changes.
  expect({ migrated: migrated.toSorted(), skipped }).toEqual({ migrated: missing, skipped: [] });
  expect(await kept(into)).toHaveLength(1);
  expect(await schemaDump(into)).toEqual(await schemaDump(await migratedDatabase()));
});

/** Stores an event whose transaction has an id that another cluster has not reached, and a token of the admin API. */
async function fillWithOwn(url: string): Promise<void> {
  const database = await openDatabase({ url, log });
  const account = { id: uuidv7() };
  await database.transaction((sql) => addAccount(sql, account.id, 'slug'));
  await new EventReceiver(database).receive(receivedEvent(account));
  await database.close();
  await queryOnce(url, `update events set stored_xid = '9000000000'`);
  await queryOnce(
    url,
    `insert into admin_tokens (id, hash, name, role, created_by) values (gen_random_uuid(), '00', 'of before', 'admin', 'ann')`,
  );
}

test('ids of transactions and admin tokens, which the release before backs up on a database of this one, are not restored', async () => {
  const [from, into, store] = [await migratedDatabase(), await freshDatabase(), folderStore()];
  await fillWithOwn(from);
  const { name } = await backUpBefore(from, store);
  expect(await restore(into, store, name)).toMatchObject({ rowsByTable: { events: 1 }, skipped: [] });
  expect(await queryOnce(into, 'select id from events where stored_xid < pg_current_xact_id()')).toHaveLength(1);
  expect(await queryOnce(into, 'select name from admin_tokens')).toEqual([]);

  const variables = { SECRETS_KEY: secretsKeyOf(testKeyring), BACKUP_DIR: store.place };
  const asSql = spawnGateway('backup-sql', variables, [name]);
  expect(await asSql.exited).toMatchObject({ code: 1 });
  expect(asSql.stderr()).toMatch(/has what backups leave out \(.*admin_tokens.*events\.stored_xid.*`npm run restore`/);
  expect(asSql.stdout()).toBe('');
});

test('the release before refuses a backup of this one, which has migrations that it does not know', async () => {
  const [from, into, store] = [await migratedDatabase(), await freshDatabase(), folderStore()];
  const { name } = await backUp(from, store);
  await expect(restoreBefore(into, store, name)).rejects.toThrow(
    new RegExp(`newer gateway.*does not know ${added.join(', ')}\\. Nothing was written`),
  );
});

const record = 'insert into mikro_orm_migrations (name) values ($1)';

test('a backup that the release before made on the schema of a later release is refused', async () => {
  const [from, into, store] = [await migratedDatabase(), await freshDatabase(), folderStore()];
  await queryOnce(from, record, ['Migration20990101000000_expand_later']);
  const { name } = await backUpBefore(from, store);
  await expect(restore(into, store, name)).rejects.toThrow(
    /newer gateway.*does not know Migration20990101000000_expand_later.*Nothing was written/,
  );
});

test('a backup of an older schema than that of the release before is refused with what to do', async () => {
  const [from, into, store] = [await migratedDatabase(), await freshDatabase(), folderStore()];
  await queryOnce(from, 'drop table applied_migrations');
  const { name } = await backUp(from, store);
  await expect(restore(into, store, name)).rejects.toThrow(
    new RegExp(
      `older schema.*lacks ${squashed.join(', ')}\\. Nothing was written\\. Restore it with commit ${oldestUpgrade}`,
    ),
  );
});
