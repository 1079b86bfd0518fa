import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { AccountEntity } from '../../src/accounts/account-entity.ts';
import { databaseFailure, isDatabaseError } from '../../src/database/errors.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createLog } from '../../src/shared/log.ts';
import { freshDatabase } from '../support/database.ts';
import { openClient } from '../support/one-connection.ts';
import { rows } from '../support/stored.ts';
import { useDatabase } from '../support/use-database.ts';

const log = createLog('silent');
const database = useDatabase(freshDatabase);
beforeAll(async () => {
  await migrate(database, log);
  await rows(database, 'create table pairs (id integer primary key, n integer not null check (n < 100))');
  await rows(database, 'insert into pairs values (1, 0), (2, 0)');
  await rows(database, 'create table short (text varchar(3))');
});

/** The error of a promise, which must reject. */
async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`it worked: ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}
const run = (text: string, values: unknown[] = []) => errorOf(rows(database, text, values));

describe('bad data', () => {
  test.each<[name: string, text: string, values: unknown[]]>([
    ['a NUL in a text', 'select $1::text', ['a\0b']],
    ['no UUID', 'select $1::uuid', ['nope']],
    ['no JSON', 'select $1::json', ['{']],
    ['no time', 'select $1::timestamptz', ['soon']],
    ['too large a number', 'select $1::integer', ['99999999999']],
    ['too long a text', 'insert into short values ($1)', ['four']],
    ['a key that is taken', 'insert into pairs values (1, 0)', []],
    ['a check', 'insert into pairs values (3, 100)', []],
    ['a missing value', 'insert into pairs values (4, null)', []],
    ['a division by zero', 'select 1 / $1::integer', [0]],
  ])('%s', async (_name, text, values) => {
    const error = await run(text, values);
    expect([databaseFailure(error), isDatabaseError(error)]).toEqual(['bad_data', true]);
  });
});

test('a missing partition', async () => {
  const text = `insert into event_payloads (event_id, headers, body) values ('00000000-0000-7000-8000-000000000000', '[]', '')`;
  const error = await run(text);
  expect([databaseFailure(error), isDatabaseError(error)]).toEqual(['no_partition', true]);
});

test('a deadlock can be retried', async () => {
  const clients = [await database.pool.connect(), await database.pool.connect()] as const;
  const lock = (client: pg.PoolClient, id: number) => client.query('update pairs set n = n + 1 where id = $1', [id]);
  for (const client of clients) await client.query('begin');
  await lock(clients[0], 1);
  await lock(clients[1], 2);
  const results = await Promise.allSettled([lock(clients[0], 2), lock(clients[1], 1)]);
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  for (const client of clients) {
    await client.query('rollback');
    client.release();
  }
  expect(errors.map(databaseFailure)).toEqual(['retry']);
});

test('a serialization failure can be retried', async () => {
  const clients = [await database.pool.connect(), await database.pool.connect()] as const;
  for (const client of clients) {
    await client.query('begin isolation level serializable');
    await client.query('select sum(n) from pairs');
  }
  await clients[0].query('update pairs set n = n + 1 where id = 1');
  await clients[0].query('commit');
  const error = await errorOf(
    clients[1].query('update pairs set n = n + 1 where id = 1').then(() => clients[1].query('commit')),
  );
  await clients[1].query('rollback');
  for (const client of clients) client.release();
  expect([databaseFailure(error), isDatabaseError(error)]).toEqual(['retry', true]);
});

describe('the server or the connection to it is unavailable', () => {
  const connecting = async (change: (to: URL) => void, options: pg.ClientConfig = {}) => {
    const to = new URL(database.url);
    change(to);
    const client = new pg.Client({ connectionString: to.href, ...options });
    client.on('error', () => undefined);
    return errorOf(client.connect());
  };
  test.each<[name: string, make: () => Promise<unknown>]>([
    ['a connection that is cut', () => run('select pg_terminate_backend(pg_backend_pid())')],
    ['a statement that takes too long', () => errorOf(cancelled())],
    [
      'a server that does not listen',
      () =>
        connecting((to) => {
          to.port = '1';
        }),
    ],
    [
      'a host without an address',
      () =>
        connecting((to) => {
          to.hostname = 'nowhere.invalid';
        }),
    ],
    [
      'a database that does not exist',
      () =>
        connecting((to) => {
          to.pathname = '/nope';
        }),
    ],
    [
      'a user that does not exist',
      () =>
        connecting((to) => {
          to.username = 'nobody';
        }),
    ],
    [
      'a client that was closed',
      async () => {
        const client = await openClient(database.url);
        await client.end();
        return errorOf(client.query('select 1'));
      },
    ],
    [
      'an answer that takes too long',
      async () => {
        const client = new pg.Client({ connectionString: database.url, query_timeout: 50 });
        await client.connect();
        const error = await errorOf(client.query('select pg_sleep(3)'));
        await client.end();
        return error;
      },
    ],
    [
      'no free connection',
      async () => {
        const pool = new pg.Pool({ connectionString: database.url, max: 1, connectionTimeoutMillis: 3_000 });
        const only = await pool.connect();
        const error = await errorOf(pool.query('select 1'));
        only.release();
        await pool.end();
        return error;
      },
    ],
  ])('%s', async (_name, make) => {
    const error = await make();
    expect(error).toBeInstanceOf(Error);
    expect([databaseFailure(error), isDatabaseError(error)]).toEqual(['unavailable', true]);
  });

  async function cancelled() {
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      await client.query("set local statement_timeout = '20ms'");
      return await client.query('select pg_sleep(5)');
    } finally {
      await client.query('rollback');
      client.release();
    }
  }
});

test('an error that MikroORM wraps is classified too', async () => {
  const em = database.orm.em.fork();
  const error = await errorOf(em.findOne(AccountEntity, { id: 'nope' }));
  expect([databaseFailure(error), isDatabaseError(error)]).toEqual(['bad_data', true]);
});

test.each([
  ['an error of ours', new Error('boom')],
  ['a type error', new TypeError('x is not a function')],
  ['a text', 'select failed'],
  ['nothing', null],
  ['an object with a code', { code: '23505' }],
  ['a file that is not there', Object.assign(new Error('no file'), { code: 'ENOENT' })],
])('%s is no error of the database', (_name, error) => expect(isDatabaseError(error)).toBe(false));
