import type { Readable } from 'node:stream';
import type { Log } from '../shared/log.ts';
import { BackupError } from './backup-error.ts';

/** Where backups are kept. With both, `url` is where. */
export interface BackupSettings {
  dir: string | null;
  url: string | null;
}

/** A file or an object that has the name of a backup. */
export interface StoredFile {
  name: string;
  sizeBytes: number;
}

/** More than BACKUP_KEEP allows, and few enough for their names to be held in memory and asked for one by one. */
export const maxFiles = 20_000;

/**
 * A place for the backups of one gateway. Others may be able to write there: a store says what is there, not whether it is
 * genuine (`readCatalogue`). Everything throws BackupError, with words for people; so does `content` when it fails, and that
 * error comes through.
 */
export interface BackupStore {
  /** For people: without credentials. */
  place: string;
  /** Stores `content`, which appears only when it is whole. What an earlier run has left unfinished is removed. */
  write(name: string, content: Readable, signal: AbortSignal): Promise<{ sizeBytes: number }>;
  /** Everything that has the name of a backup, in no order. Throws when that is more than `maxFiles`. */
  files(): Promise<StoredFile[]>;
  /**
   * The bytes of a file from `start` to its end.
   *
   * @returns null when the file was deleted since it was listed, or cannot be read; the latter is logged.
   */
  readEnd(file: StoredFile, start: number): Promise<Buffer | null>;
  read(name: string): Promise<Readable>;
  delete(name: string): Promise<void>;
  close(): void;
}

/** Logs something that has the name of a backup and cannot be read. It is skipped. */
export const skippedAt = (place: string, log: Pick<Log, 'warn'> | null) => (name: string, error: unknown) => {
  log?.warn({ err: error, name, place }, 'backup unreadable, skipped');
  return null;
};

/** A place with so many files is left as it is: nothing in it is judged or deleted. */
export const tooManyFiles = (place: string) =>
  new BackupError(
    `${place} holds more than ${maxFiles} files with names of backups, more than this gateway makes. Delete those that are not its own.`,
  );
