import { statfs } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { BackupError } from './backup-error.ts';

const mebibyte = 1024 * 1024;
/** How much a backup leaves free: room for PostgreSQL's log until an operator has freed some. */
const reserveBytes = 1024 * mebibyte;
/** On a small disk, a gibibyte would be too much. */
const reserveShare = 0.02;
/** The disk is read again after so many bytes, because other programs write to it, too. */
const lookBytes = 64 * mebibyte;

/**
 * Passes the content of a file on while the disk of `dir` has space besides a reserve. `npm start` keeps backups on the
 * disk of its PostgreSQL, which refuses webhooks once that is full.
 *
 * The stream fails with a BackupError at the first chunk that would use the reserve. Chunks that it has passed on and that
 * are not written yet, about a megabyte, are not counted.
 */
export function leavingReserve(dir: string): Transform {
  let allowed = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      allowed -= chunk.length;
      if (allowed >= 0) return done(null, chunk);
      besidesReserve(dir).then(({ free, reserve }) => {
        allowed = Math.min(free, lookBytes) - chunk.length;
        if (allowed >= 0) done(null, chunk);
        else done(full(dir, reserve));
      }, done);
    },
  });
}

/** The free bytes besides the reserve. Some file systems do not tell their size: then there is no reserve. */
async function besidesReserve(dir: string): Promise<{ free: number; reserve: number }> {
  // The write itself has the better error for a folder that is gone.
  const disk = await statfs(dir).catch(() => null);
  if (!disk || disk.blocks === 0) return { free: Number.POSITIVE_INFINITY, reserve: 0 };
  const reserve = Math.min(reserveBytes, disk.blocks * disk.bsize * reserveShare);
  return { free: disk.bavail * disk.bsize - reserve, reserve };
}

const full = (dir: string, reserve: number) =>
  new BackupError(
    `The disk of the backup folder ${dir} is full: a backup leaves ${Math.ceil(reserve / mebibyte)} MiB of it free for ` +
      `PostgreSQL and other programs. Free space, or set BACKUP_DIR to a folder on another disk.`,
  );
