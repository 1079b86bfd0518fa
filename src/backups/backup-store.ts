import type { Readable } from 'node:stream';
import type { Log } from '../shared/log.ts';
import { BackupError } from './backup-error.ts';

/** The place for backups. `url` takes precedence over `dir`. */
export interface BackupSettings {
  dir: string | null;
  url: string | null;
}

/** A file or an object with the name of a backup. */
export interface StoredFile {
  name: string;
  sizeBytes: number;
}

/** More than BACKUP_KEEP allows, and few enough to keep their names in memory and to read the files one by one. */
export const maxFiles = 20_000;

/**
 * A place for the backups of one gateway. Others may have write access to it: a store lists files without checking that
 * they are genuine (see `readCatalogue`). All functions throw BackupError with a message for operators. An error of
 * `content` is passed on.
 */
export interface BackupStore {
  /** The name of the place for operators, without credentials. */
  place: string;
  /**
   * Stores `content` atomically: the file appears only when it is complete. Removes unfinished files of earlier runs.
   */
  write(name: string, content: Readable, signal: AbortSignal): Promise<{ sizeBytes: number }>;
  /** All files with the name of a backup, unsorted. Throws for more than `maxFiles`. */
  files(): Promise<StoredFile[]>;
  /**
   * Reads the bytes of a file from `start` to its end.
   *
   * @returns null when the file was deleted after it was listed, or cannot be read; the latter is logged.
   */
  readEnd(file: StoredFile, start: number): Promise<Buffer | null>;
  read(name: string): Promise<Readable>;
  delete(name: string): Promise<void>;
  close(): void;
}

/** Returns the function that logs an unreadable file with the name of a backup. The caller skips the file. */
export const skippedAt = (place: string, log: Pick<Log, 'warn'> | null) => (name: string, error: unknown) => {
  log?.warn({ err: error, name, place }, 'backup unreadable, skipped');
  return null;
};

/** The error for a place with too many files. Nothing in it is read or deleted. */
export const tooManyFiles = (place: string) =>
  new BackupError(
    `${place} holds more than ${maxFiles} files with names of backups, more than this gateway makes. Delete those that are not its own.`,
  );
