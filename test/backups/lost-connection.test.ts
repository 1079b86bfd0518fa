import { spawnSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { restoreArchive } from '../../src/backups/restore.ts';
import { verifyArchive } from '../../src/backups/verify-archive.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { createLog } from '../../src/shared/log.ts';
import { freshDatabase } from '../support/database.ts';
import { queryOnce } from '../support/one-connection.ts';
import { backUp, folderStore, testKeyring as keyring } from './support.ts';

const log = createLog('silent');
const kill = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;

/** Runs in another process, because this one waits for it. */
const script = `
  import pg from 'pg';
  const [url, text] = process.argv.slice(1);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();`;

test.each(['before', 'amid'])(
  'a connection that breaks %s the rows fails the restore with an error in words',
  async (when) => {
    const url = await freshDatabase();
    await migrateOnce(url, log);
    await queryOnce(
      url,
      `insert into gateway_settings select 'k' || n, sha256(n::text::bytea) from generate_series(1, 100000) n`,
    );
    const store = folderStore();
    const { name } = await backUp(url, store);
    const into = await freshDatabase();
    const whole = { name, open: () => store.read(name) };
    const { manifest } = await verifyArchive(whole, { keyring });
    async function* broken() {
      let bytes = 0;
      for await (const chunk of await whole.open()) {
        const before = bytes;
        bytes += chunk.length;
        // Nearly the whole file consists of the rows of one table.
        if (before < manifest.bytes / 2 && bytes >= manifest.bytes / 2) await queryOnce(into, kill);
        yield chunk;
      }
    }
    const source = when === 'amid' ? { name, open: async () => Readable.from(broken()) } : whole;
    const onProgress = (line: string) => {
      if (when === 'amid' || !line.includes('rows of gateway_settings')) return;
      const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', script, into, kill], {
        cwd: import.meta.dirname,
      });
      expect(status).toBe(0);
    };
    await expect(restoreArchive({ url: into, keyring, log, onProgress }, source, manifest)).rejects.toThrow(
      /Nothing was restored/,
    );
    expect(await queryOnce(into, `select relname from pg_class where relnamespace = 'public'::regnamespace`)).toEqual(
      [],
    );
  },
);
