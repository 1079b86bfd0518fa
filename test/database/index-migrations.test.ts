import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { IndexesOfEvents } from '../../migrations/indexes-of-events.ts';
import { applyLater } from '../../src/database/apply-later.ts';
import { connectDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { ensurePartitions } from '../../src/database/partitions.ts';
import { checkSchema } from '../../src/database/schema-check.ts';
import { dayMs } from '../../src/database/uuid-time.ts';
import { whileLocked } from '../../src/database/while-locked.ts';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import { addAccount } from '../../src/roles/undone.ts';
import { createLog } from '../../src/shared/log.ts';
import { receivedEvent } from '../support/received.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { useDatabasePerTest } from '../support/use-database.ts';
import { change, laterRelease } from './later-release.ts';

const log = createLog('silent');
const database = useDatabasePerTest();

test('an index is built concurrently, outside of a transaction', async () => {
  const index = change(
    'Migration20990103000000_expand_index',
    ['create index concurrently if not exists destinations_by_test on destinations (id)'],
    { outsideTransaction: true },
  );
  expect(await migrate(database, log, laterRelease('9.1.0', [index]))).toMatchObject({ migrations: [index.name] });
  expect(await rows(database, `select to_regclass('destinations_by_test') is not null as present`)).toEqual([
    { present: true },
  ]);
});

test('an index build that an old transaction holds up is an error that says what to do, and can be repeated', async () => {
  const index = change(
    'Migration20990103000000_expand_index',
    [
      'drop index concurrently if exists destinations_by_test',
      'create index concurrently destinations_by_test on destinations (id)',
    ],
    { outsideTransaction: true },
  );
  const old = await database.readers.connect();
  await old.query('begin isolation level repeatable read');
  await old.query('select 1 from accounts');
  const own = await connectDatabase({
    url: database.url,
    log,
    maxConnections: 1,
    wholeTables: true,
    migrations: laterRelease('9.1.0', [index]).migrations,
  });
  const apply = (concurrentTimeoutMs: number) =>
    applyLater({ database: own, pending: [index], log, locks: { tries: 9, pauseMs: 1, concurrentTimeoutMs } });
  await expect(apply(100)).rejects.toThrow(/builds an index.*older did not end in time.*npm run migrate/);
  await checkSchema(database);
  await old.query('rollback');
  old.release();
  expect(await apply(60_000)).toEqual([index.name]);
  expect(
    await rows(database, `select indisvalid from pg_index where indexrelid = 'destinations_by_test'::regclass`),
  ).toEqual([{ indisvalid: true }]);
  await own.close();
});

test('a migration that waits for the lock of events to add an index holds up no webhook and forgets no new day', async () => {
  const name = 'Migration20990104000000_expand_index_of_events';
  const index = {
    name,
    class: class extends IndexesOfEvents {
      protected readonly indexes = [{ name: 'events_by_test', definition: '(received_at)', purpose: 'test' }];
    },
  };
  const account = { id: uuidv7() };
  await database.transaction((sql) => addAccount(sql, account.id, 'slug'));
  const blocker = await database.readers.connect();
  await blocker.query('begin');
  await blocker.query('lock table only events in row exclusive mode');
  const migrating = migrate(database, log, laterRelease('9.1.0', [index]));
  migrating.catch(() => undefined);
  await until('the migration waits for the lock', async () => {
    const { rowCount } = await database.readers.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'create index'`,
    );
    return rowCount === 1;
  });
  // Comes after the migration, so it waits until that gives up: it would reach the pool's limit of 5 s otherwise.
  expect(await new EventReceiver(database).receive(receivedEvent(account))).toEqual({ kind: 'stored' });
  // Days that a worker adds before the index is on the table: the migration has read the list of the days already.
  // Tried again as by a worker: a try ends after 1 s, and the migration may take as long to give up.
  await whileLocked(
    () => ensurePartitions(database, new Date(Date.now() + 30 * dayMs), 1),
    { tries: 30, pauseMs: 100 },
    () => undefined,
  );
  await blocker.query('rollback');
  blocker.release();
  expect(await migrating).toMatchObject({ migrations: [name] });
  // Valid once each partition has its part.
  expect(await rows(database, `select indisvalid from pg_index where indexrelid = 'events_by_test'::regclass`)).toEqual(
    [{ indisvalid: true }],
  );
});
