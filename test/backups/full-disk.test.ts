import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { createKeyring } from '../../src/secrets/keyring.ts';
import { freshDatabase } from '../support/database.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { gatewayRoles } from '../support/gateway-roles.ts';
import { askMaintenance, backupEnded, backupsOf, scheduled } from '../support/maintenance.ts';
import { lacks } from '../support/may-skip/list.ts';
import { smallDisk } from '../support/small-disk.ts';
import { restore, verifiedIn } from './support.ts';

gatewaysEndWithTheirTest();

const mebibyte = 1024 * 1024;
/** Some megabytes that gzip cannot compress. */
const incompressible = `
  insert into gateway_settings
  select 'filler ' || n, (select string_agg(sha512(convert_to(n || ' ' || m, 'UTF8')), '') from generate_series(1, 4096) m)
  from generate_series(1, 12) n`;

/** Triggers a backup and waits for its end, including the retry of a failed one. */
async function backedUp(api: Parameters<typeof backupEnded>[0]) {
  const { status, body } = await askMaintenance(api, 'POST', '/admin/backups/trigger');
  expect(status).toBe(202);
  return backupEnded(api, body.id, 180_000);
}

test.skipIf(lacks('mounts'))(
  'a backup fails before the disk is full, with an error in words, and leaves no file, and older ones stay',
  async () => {
    const disk = smallDisk(12 * mebibyte);
    const databaseUrl = await freshDatabase();
    const roles = gatewayRoles({ databaseUrl, variables: { BACKUP_DIR: join(disk.folder, 'backups') } });
    expect((await roles.migrate()).code).toBe(0);
    await roles.query(incompressible);
    const [api, worker] = await Promise.all([roles.startApi(), roles.startWorker({}, disk.within)]);
    await scheduled(api, 'backup');
    const seen = disk.seenIn(worker.pid);
    const dir = join(seen, 'backups');

    const older = await backedUp(api);
    expect(older).toMatchObject({ status: 'completed', error: null });
    expect(older.size_bytes).toBeGreaterThan(3 * mebibyte);

    // Another file fills the disk except for a megabyte.
    const ballast = join(seen, 'ballast');
    writeFileSync(ballast, Buffer.alloc(disk.freeBytes(seen) - mebibyte));
    const freeBytes = disk.freeBytes(seen);
    const failed = await backedUp(api);
    expect(failed).toMatchObject({ status: 'failed', name: null, size_bytes: null });
    expect(failed.error).toMatch(
      /^The disk of the backup folder \S+ is full: a backup leaves 1 MiB of it free for PostgreSQL and other programs\./,
    );
    expect(readdirSync(dir)).toEqual([older.name]);
    expect(disk.freeBytes(seen)).toBe(freeBytes);
    const store = openDirectoryStore(dir);
    const keyring = createKeyring(Buffer.from(roles.variables.SECRETS_KEY ?? '', 'base64'));
    expect((await verifiedIn(store, keyring)).map(({ name }) => name)).toEqual([older.name]);
    await restore(await freshDatabase(), store, older.name, keyring);
    expect((await backupsOf(api)).map(({ id, status }) => [id, status])).toEqual([
      [failed.id, 'failed'],
      [older.id, 'completed'],
    ]);

    rmSync(ballast);
    const next = await backedUp(api);
    expect(next).toMatchObject({ status: 'completed', error: null });
    expect(readdirSync(dir).sort()).toEqual([older.name, next.name].sort());
    expect((await backupsOf(api)).map(({ status }) => status)).toEqual(['completed', 'failed', 'completed']);
    await restore(await freshDatabase(), store, next.name, keyring);
    expect(worker.isRunning()).toBe(true);
  },
);
