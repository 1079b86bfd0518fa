import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../shared/log.ts';
import { syncFolder } from '../shared/sync-folder.ts';
import { isArchiveName } from './archive-name.ts';
import { BackupError, said } from './backup-error.ts';
import { type BackupStore, maxFiles, type StoredFile, skippedAt, tooManyFiles } from './backup-store.ts';
import { leavingReserve } from './disk-reserve.ts';

const unfinished = '.unfinished';
/** Larger than the default of 64 KiB, for fewer disk operations. A few of these buffers are in memory at a time. */
const bufferBytes = 1024 * 1024;

/**
 * Opens a store in a folder (mode 0700, files 0600). It creates the folder but not its parents: if a disk is not
 * mounted, a backup must not be written to another one.
 *
 * @param log for unreadable files with the name of a backup, which are skipped.
 */
export function openDirectoryStore(folder: string, log: Pick<Log, 'warn'> | null = null): BackupStore {
  const dir = resolve(folder);
  const skipped = skippedAt(dir, log);
  const fileOf = (name: string) => {
    if (isArchiveName(name)) return join(dir, name);
    throw new BackupError(`There is no backup '${name}' in ${dir}.`);
  };
  return {
    place: dir,
    async write(name, content, signal) {
      const file = fileOf(name);
      try {
        await mkdir(dir, { mode: 0o700 }).catch(unlessThere);
        await removeUnfinished(dir, skipped);
        return await writeWhole(dir, file, content, signal);
      } catch (error) {
        content.destroy();
        throw explained(dir, error, signal);
      }
    },
    async files() {
      try {
        const found: StoredFile[] = [];
        for await (const name of archivesIn(dir)) {
          if (found.length === maxFiles) throw tooManyFiles(dir);
          const sizeBytes = await sizeOf(join(dir, name)).catch((error: unknown) => skipped(name, error));
          if (sizeBytes !== null) found.push({ name, sizeBytes });
        }
        return found;
      } catch (error) {
        throw explained(dir, error);
      }
    },
    async readEnd({ name, sizeBytes }, start) {
      try {
        const handle = await open(fileOf(name), 'r');
        try {
          const { buffer, bytesRead } = await handle.read(Buffer.alloc(sizeBytes - start), { position: start });
          return buffer.subarray(0, bytesRead);
        } finally {
          await handle.close();
        }
      } catch (error) {
        // Deleted after the folder was listed.
        return codeOf(error) === 'ENOENT' ? null : skipped(name, error);
      }
    },
    async read(name) {
      const file = fileOf(name);
      try {
        await stat(file);
        return createReadStream(file, { highWaterMark: bufferBytes });
      } catch (error) {
        if (codeOf(error) === 'ENOENT') throw new BackupError(`There is no backup '${name}' in ${dir}.`);
        throw explained(dir, error);
      }
    },
    async delete(name) {
      try {
        await rm(fileOf(name), { force: true });
      } catch (error) {
        throw explained(dir, error);
      }
    },
    close() {},
  };
}

/** Writes a file atomically: after a crash of the machine, either the complete file exists or none. */
async function writeWhole(dir: string, file: string, content: Readable, signal: AbortSignal) {
  const temporary = `${file}${unfinished}`;
  try {
    // `flush`: the data is written to the disk before the stream is closed.
    const output = createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: bufferBytes });
    await pipeline(content, leavingReserve(dir), output, { signal });
    const { size: sizeBytes } = await stat(temporary);
    await rename(temporary, file);
    await syncFolder(dir);
    return { sizeBytes };
  } catch (error) {
    await rm(temporary, { force: true }).catch(ignored);
    throw error;
  }
}

/** Ignores an error of the cleanup, because the original error is more useful. */
const ignored = () => undefined;

/** Removes unfinished files. Only one backup runs at a time, so they were left by a killed process. */
async function removeUnfinished(dir: string, skipped: (name: string, error: unknown) => void): Promise<void> {
  for await (const name of archivesIn(dir, unfinished))
    await rm(join(dir, name)).catch((error: unknown) => skipped(name, error));
}

/**
 * Yields the names of backups in a folder. It is not read as a whole, because it may have any number of other files.
 */
async function* archivesIn(dir: string, suffix = ''): AsyncGenerator<string> {
  const entries = await opendir(dir).catch((error: unknown) => {
    // The folder does not exist before the first backup.
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  for await (const { name } of entries)
    if (name.endsWith(suffix) && isArchiveName(name.slice(0, name.length - suffix.length))) yield name;
}

/** The size of a file; null when it was deleted after the folder was listed. */
async function sizeOf(file: string): Promise<number | null> {
  const found = await stat(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  // Opening a named pipe would block until a process writes to it.
  if (found && !found.isFile()) throw new Error('it is not a file');
  return found?.size ?? null;
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : null);

function explained(dir: string, error: unknown, signal?: AbortSignal): unknown {
  if (error instanceof BackupError) return error;
  if (signal?.aborted) return new BackupError('The backup was interrupted.', { cause: error });
  const words = (text: string) => new BackupError(`${text} (${said(error)}).`, { cause: error });
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return words(`The disk of the backup folder ${dir} is full, or files there may not become so large`);
    case 'ENOENT':
      return words(`The backup folder ${dir}, or the folder above it, is gone`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return words(`The backup folder ${dir} cannot be used by this user`);
    default:
      return words(`The backup folder ${dir} cannot be used`);
  }
}
