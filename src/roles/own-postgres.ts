import type { DataDir } from '../embedded/data-dir.ts';
import { startPostgres } from '../embedded/postgres.ts';
import type { Log } from '../shared/log.ts';

/** Runs `work` on the PostgreSQL of a data folder, which is started before and stopped afterwards. */
export async function withOwnPostgres(dataDir: DataDir, log: Log, work: (url: string) => Promise<void>): Promise<void> {
  console.log('Starting PostgreSQL …');
  const postgres = await startPostgres({ dataDir, log, onProgress: console.log });
  try {
    await work(postgres.url);
  } finally {
    await postgres.stop();
  }
}
