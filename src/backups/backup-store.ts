import type { Readable } from 'node:stream';
import type { Log } from '../log.ts';

/** Where backups are kept. With both, `url` is where. */
export interface BackupSettings {
  dir: string | null;
  url: string | null;
}

/** A backup that is whole. */
export interface StoredBackup {
  name: string;
  sizeBytes: number;
  createdAt: Date;
}

/**
 * A place for the backups of one gateway. Everything throws BackupError, with words for people; so does `content` when it
 * fails, and that error comes through.
 */
export interface BackupStore {
  /** For people: without credentials. */
  place: string;
  /** Stores `content`, which appears only when it is whole. What an earlier run has left unfinished is removed. */
  write(name: string, content: Readable, signal: AbortSignal): Promise<{ sizeBytes: number }>;
  /** Newest first: what has the name of a backup and ends with a manifest. */
  list(): Promise<StoredBackup[]>;
  read(name: string): Promise<Readable>;
  delete(name: string): Promise<void>;
  close(): void;
}

/** What a list does with something that has the name of a backup and cannot be read: it is logged, and no backup. */
export const skippedAt = (place: string, log: Pick<Log, 'warn'> | null) => (name: string, error: unknown) => {
  log?.warn({ err: error, name, place }, 'something among the backups cannot be read and was skipped');
  return null;
};

export const newestFirst = (a: StoredBackup, b: StoredBackup) =>
  b.createdAt.getTime() - a.createdAt.getTime() || b.name.localeCompare(a.name);
