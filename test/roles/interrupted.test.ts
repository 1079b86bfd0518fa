import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { lockKeys } from '../../src/database/lock-keys.ts';
import { createKeyring } from '../../src/secrets/keyring.ts';
import { backUp } from '../backups/support.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import {
  type GatewayProcess,
  gatewaysEndWithTheirTest,
  spawnGateway,
  temporaryFolder,
} from '../support/gateway-process.ts';
import { listen } from '../support/listen.ts';
import { withClient } from '../support/one-connection.ts';
import { s3Credentials } from '../support/s3-server.ts';
import { until } from '../support/until.ts';

gatewaysEndWithTheirTest();

const key = randomBytes(32);
let dir: string;
let name: string;
beforeAll(async () => {
  dir = join(temporaryFolder('test'), 'backups');
  const keyring = createKeyring(key);
  ({ name } = await backUp(await migratedDatabase(), openDirectoryStore(dir), { keyring }));
});

/** A bucket that serves the backup once, for its check. The next download stops in the middle. */
async function slowBucket() {
  let downloads = 0;
  const server = createServer((_, response) => {
    const archive = readFileSync(join(dir, name));
    downloads++;
    response.writeHead(200, { 'content-length': archive.length });
    if (downloads === 1) response.end(archive);
    else response.write(archive.subarray(0, archive.length / 2));
  });
  const endpoint = `http://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    BACKUP_URL: `s3://bucket?endpoint=${encodeURIComponent(endpoint)}`,
    isRead: () => until('the content is read', () => downloads >= 2),
  };
}

const variables = { SECRETS_KEY: key.toString('base64'), ...s3Credentials };

async function interrupted(role: GatewayProcess, signal: NodeJS.Signals): Promise<void> {
  role.signal(signal);
  const { code } = await role.exited;
  expect([code, role.stderr()]).toEqual([
    1,
    expect.stringContaining('Interrupted. What was committed before stays. Run the command again.'),
  ]);
}

test('a restore that is interrupted ends and leaves a database into which the next one restores', async () => {
  const { BACKUP_URL, isRead } = await slowBucket();
  const args = [name, '--into', await freshDatabase()];
  const role = spawnGateway('restore', { ...variables, BACKUP_URL }, args);
  await isRead();
  await interrupted(role, 'SIGINT');
  const next = spawnGateway('restore', { ...variables, BACKUP_DIR: dir }, args);
  expect([(await next.exited).code, next.stderr()]).toEqual([0, '']);
});

test('backup-sql that is interrupted leaves no file', async () => {
  const { BACKUP_URL, isRead } = await slowBucket();
  const output = join(dir, 'out.sql');
  const role = spawnGateway('backup-sql', { ...variables, BACKUP_URL }, [name, '--output', output]);
  await isRead();
  await until('the file is begun', () => existsSync(output));
  await interrupted(role, 'SIGTERM');
  expect(existsSync(output)).toBe(false);
});

test('migrate that waits for another process ends when it is interrupted', async () => {
  const databaseUrl = await migratedDatabase();
  await withClient(databaseUrl, async (holder) => {
    await holder.query('select pg_advisory_lock($1)', [lockKeys.migration]);
    const role = spawnGateway('migrate', { DATABASE_URL: databaseUrl });
    await until('it waits for the lock', async () => {
      const { rowCount } = await holder.query(
        `select from pg_stat_activity where datname = current_database() and query like '%pg_try_advisory_lock%' and pid <> pg_backend_pid()`,
      );
      return rowCount === 1;
    });
    await interrupted(role, 'SIGINT');
  });
});
