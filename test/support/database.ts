import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** Makes an empty database of its own and returns its URL. */
export function freshDatabase(server: string = inject('postgresUrl')): Promise<string> {
  return create(server, 'strategy file_copy');
}

/** The same with the gateway's schema: a copy of one that was migrated at the start of the run, which is quicker than to migrate. */
export function migratedDatabase(): Promise<string> {
  // To copy the files takes a quarter of the time that the server's log of each page would.
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
