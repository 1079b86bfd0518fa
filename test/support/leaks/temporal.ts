import { DatabaseSync } from 'node:sqlite';
import { allKinds, type Leak, leaksIn } from './markers.ts';

/**
 * Searches all data of a Temporal development server: histories with inputs, results, signals and failures, search
 * attributes, memos, schedules, tasks. The data is uncompressed, so this reads the rows of the SQLite file, which takes
 * seconds, where fetching thousands of histories would take minutes.
 *
 * @param path its database, which no server has open
 */
export function leaksInTemporal(path: string): Leak[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all();
    return tables.flatMap(({ name }) => leaksInTable(database, String(name)));
  } catch (error) {
    // A test may have damaged the file, or killed the server during its first start.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR') return [];
    throw error;
  } finally {
    database.close();
  }
}

function leaksInTable(database: DatabaseSync, table: string): Leak[] {
  const leaks: Leak[] = [];
  for (const row of database.prepare(`select * from "${table}"`).iterate()) {
    const about = 'workflow_id' in row ? ` of the workflow ${row.workflow_id}` : '';
    for (const [column, value] of Object.entries(row))
      if (typeof value === 'string' || value instanceof Uint8Array)
        leaks.push(...leaksIn(`Temporal's ${table}.${column}${about}`, value, allKinds));
  }
  return leaks;
}
