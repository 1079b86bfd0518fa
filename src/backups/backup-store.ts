import type { Readable } from 'node:stream';

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

export const newestFirst = (a: StoredBackup, b: StoredBackup) =>
  b.createdAt.getTime() - a.createdAt.getTime() || b.name.localeCompare(a.name);
