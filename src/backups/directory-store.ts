import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../shared/log.ts';
import { isArchiveName } from './archive-name.ts';
import { BackupError, said } from './backup-error.ts';
import { type BackupStore, maxFiles, type StoredFile, skippedAt, tooManyFiles } from './backup-store.ts';

const unfinished = '.unfinished';
/** Fewer writes to the disk than a stream's 64 KiB; a few of them are in memory at a time. */
const bufferBytes = 1024 * 1024;

/**
 * Backups in a folder, mode 0700, files 0600. The folder is made; those above it are not: where a disk is not mounted, a
 * backup must not go to another one.
 *
 * @param log is told of what has the name of a backup and cannot be read: that is skipped.
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
        // Deleted since the folder was read.
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

/** After a crash of the machine there is either the whole file under its name, or none. */
async function writeWhole(dir: string, file: string, content: Readable, signal: AbortSignal) {
  const temporary = `${file}${unfinished}`;
  try {
    // `flush`: it is on the disk before the stream is closed.
    const output = createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: bufferBytes });
    await pipeline(content, output, { signal });
    const { size: sizeBytes } = await stat(temporary);
    await rename(temporary, file);
    await syncFolder(dir);
    return { sizeBytes };
  } catch (error) {
    await rm(temporary, { force: true }).catch(ignored);
    throw error;
  }
}

/** The error that is being handled says more than what goes wrong while tidying up after it. */
const ignored = () => undefined;

async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** One backup is made at a time: whatever is unfinished was left by a process that was killed. */
async function removeUnfinished(dir: string, skipped: (name: string, error: unknown) => void): Promise<void> {
  for await (const name of archivesIn(dir, unfinished))
    await rm(join(dir, name)).catch((error: unknown) => skipped(name, error));
}

/** The names of backups in a folder, one by one: there may be any number of other files. */
async function* archivesIn(dir: string, suffix = ''): AsyncGenerator<string> {
  const entries = await opendir(dir).catch((error: unknown) => {
    // Before the first backup.
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  for await (const { name } of entries)
    if (name.endsWith(suffix) && isArchiveName(name.slice(0, name.length - suffix.length))) yield name;
}

/** Null: it was deleted since the folder was read. */
async function sizeOf(file: string): Promise<number | null> {
  const found = await stat(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  // To open a pipe would be to wait until a process writes into it.
  if (found && !found.isFile()) throw new Error('it is no file');
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
