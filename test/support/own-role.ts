import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { freshDatabase } from './database.ts';
import { openClient } from './one-connection.ts';
import { secretText } from './secrets.ts';

/** Creates a database role without special rights, as on a hosted PostgreSQL. It is dropped after the test. */
export async function ownRole() {
  const adminUrl = await freshDatabase();
  const admin = await openClient(adminUrl);
  const password = secretText('role');
  const name = `role_${randomBytes(6).toString('hex')}`;
  await admin.query(`create role ${name} login password '${password}'`);
  const databases: string[] = [];
  const first: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const work of first) await work();
    for (const database of databases) await admin.query(`drop database ${database} with (force)`);
    await admin.query(`drop role ${name}`);
    await admin.end();
  });
  const at = (base: string, changes: Partial<URL>) => Object.assign(new URL(base), changes).href;
  return {
    name,
    /** Creates an empty database owned by the role and returns its URL. */
    async database(): Promise<string> {
      const database = `${name}_${databases.length}`;
      await admin.query(`create database ${database} owner ${name}`);
      databases.push(database);
      return at(adminUrl, { username: name, password, pathname: `/${database}` });
    },
    /** The URL of the same database for the administrator. */
    asAdmin: (url: string) => at(adminUrl, { pathname: new URL(url).pathname }),
    /** Sets default settings for later sessions of the role. */
    async settings(values: Record<string, string>): Promise<void> {
      for (const [setting, value] of Object.entries(values))
        await admin.query(`alter role ${name} set ${setting} = '${value}'`);
    },
    /** Registers work to be done before the databases are dropped. */
    before: (work: () => Promise<void>) => void first.push(work),
  };
}
