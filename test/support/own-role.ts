import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { freshDatabase } from './database.ts';
import { secretText } from './secrets.ts';

/** A role without any special rights, as a PostgreSQL of somebody else has it. It goes with the test, and its databases too. */
export async function ownRole() {
  const adminUrl = await freshDatabase();
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
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
    /** Makes an empty database that belongs to the role; its URL. */
    async database(): Promise<string> {
      const database = `${name}_${databases.length}`;
      await admin.query(`create database ${database} owner ${name}`);
      databases.push(database);
      return at(adminUrl, { username: name, password, pathname: `/${database}` });
    },
    /** The same database for the administrator. */
    asAdmin: (url: string) => at(adminUrl, { pathname: new URL(url).pathname }),
    /** Sets what each later session of the role begins with. */
    async settings(values: Record<string, string>): Promise<void> {
      for (const [setting, value] of Object.entries(values))
        await admin.query(`alter role ${name} set ${setting} = '${value}'`);
    },
    /** To be done before the databases go. */
    before: (work: () => Promise<void>) => void first.push(work),
  };
}
