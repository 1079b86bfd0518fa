import { spawnSync } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { restoreArchive } from '../../src/backups/restore.ts';
import { verifyArchive } from '../../src/backups/verify-archive.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { createLog } from '../../src/shared/log.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { listenForTest } from '../support/listen-for-test.ts';
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

/**
 * The URL of a way to a server on which the first connection breaks before the answer to its COMMIT arrives.
 *
 * @param connections how many are accepted after it
 */
async function answerOfCommitLost(server: string, connections: number): Promise<string> {
  const url = new URL(server);
  const port = Number(url.port);
  let isLost = false;
  let left = connections;
  const proxy = createServer((client) => {
    if (isLost && left-- <= 0) return void client.destroy();
    const behind = connect(port, '127.0.0.1');
    let commits = false;
    client.on('data', (chunk) => {
      commits = !isLost && /commit;?\0/i.test(chunk.toString('latin1'));
      behind.write(chunk);
    });
    behind.on('data', (chunk) => {
      if (!commits) return void client.write(chunk);
      isLost = true;
      client.destroy();
    });
    client.on('error', () => undefined).on('close', () => behind.destroy());
    behind.on('error', () => undefined).on('close', () => client.destroy());
  });
  url.host = `127.0.0.1:${await listenForTest(proxy)}`;
  return url.href;
}

const auditEnd = /run `npm run migrate` before the start\. The audit log ended at 7:ab\.$/;

test.each([
  ['is there', Number.POSITIVE_INFINITY, null],
  ['goes away after one more connection', 1, /failed after the restore \(.*\)\. Everything was restored: /],
  ['goes away', 0, /The answer to the commit was lost \(.*\)\. If the database has no table events, restore again\. /],
])(
  'a restore that loses the answer to its commit says what is so, if the database %s',
  async (_, connections, words) => {
    const store = folderStore();
    const { name } = await backUp(await migratedDatabase(), store);
    const into = await freshDatabase();
    const source = { name, open: () => store.read(name) };
    const { manifest } = await verifyArchive(source, { keyring });
    const url = await answerOfCommitLost(into, connections);
    const said = await restoreArchive({ url, keyring, log, onProgress: () => undefined }, source, {
      ...manifest,
      audit_head: { seq: 7, seal: 'ab' },
    }).then(({ rowsByTable }) => Object.keys(rowsByTable).length, String);
    if (words === null) expect(said).toBe(manifest.tables.length);
    else for (const text of [words, auditEnd]) expect(said).toMatch(text);
    const migrations = await queryOnce(into, 'select 1 from mikro_orm_migrations');
    expect(migrations.length).toBeGreaterThan(0);
  },
);
