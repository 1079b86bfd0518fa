import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { queryOnce } from './one-connection.ts';

/** The role that owns a database; null: the role of the connection that creates it. */
type Owner = { username: string; password: string } | null;

/** Creates an empty database and returns its URL. */
export function freshDatabase(server: string = inject('postgresUrl')): Promise<string> {
  return create(server, 'strategy file_copy');
}

/** Creates a database with the gateway's schema, by a copy of a migrated one, which is faster than migrating. */
export function migratedDatabase(): Promise<string> {
  // Copying the files takes a quarter of the time of the strategy wal_log.
  const options = `template ${inject('migratedDatabase')} strategy file_copy`;
  return create(inject('postgresUrl'), options, inject('databaseOwner'));
}

async function create(server: string, options: string, owner: Owner = null): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const owned = owner === null ? '' : `owner ${owner.username}`;
  await queryOnce(server, `create database ${name} ${options} ${owned}`);
  return Object.assign(new URL(server), { ...owner, pathname: `/${name}` }).href;
}
