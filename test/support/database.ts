import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** Creates an empty database and returns its URL. */
export function freshDatabase(server: string = inject('postgresUrl')): Promise<string> {
  return create(server, 'strategy file_copy');
}

/** Creates a database with the gateway's schema, by a copy of a migrated one, which is faster than migrating. */
export function migratedDatabase(): Promise<string> {
  // Copying the files takes a quarter of the time of the strategy wal_log.
  return create(inject('postgresUrl'), `template ${inject('migratedDatabase')} strategy file_copy`);
}

async function create(server: string, options: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name} ${options}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
