import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { migratedDatabase } from './database.ts';
import { useForAll, useForEach } from './use.ts';

type Options = Omit<Parameters<typeof openDatabase>[0], 'url' | 'log'>;
type OpenDatabase = Database & { url: string };

async function open(create: () => Promise<string>, options: Options = {}): Promise<OpenDatabase> {
  const url = await create();
  return Object.assign(await openDatabase({ url, log: createLog('silent'), ...options }), { url });
}

const close = (database: Database) => database.close();

/** One connection pool, without a gateway, for all tests of a file or of a `describe`. */
export const useDatabase = (create = migratedDatabase, options?: Options): OpenDatabase =>
  useForAll(() => open(create, options), close);

/** A new database and a connection pool for each test. */
export const useDatabasePerTest = (create = migratedDatabase): OpenDatabase => useForEach(() => open(create), close);
