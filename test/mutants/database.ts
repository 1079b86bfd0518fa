import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { migrateOnce } from '../../src/database/migrate.ts';
import { openDataDir } from '../../src/embedded/data-dir.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { createLog } from '../../src/shared/log.ts';
import { withClient } from '../support/one-connection.ts';

/** Runs `work` with a client of a new database that has the schema, and removes the database. */
export async function withDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'mutants-draw-'));
  // The database's user must be able to enter the folder.
  await chmod(folder, 0o755);
  const dataDir = openDataDir(folder);
  const log = createLog('warn');
  try {
    const postgres = await startPostgres({ dataDir, log, onProgress: () => undefined });
    try {
      await migrateOnce(postgres.url, log);
      return await withClient(postgres.url, work);
    } finally {
      await postgres.stop();
    }
  } finally {
    dataDir.release();
    await rm(folder, { recursive: true, force: true });
  }
}
