import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StartError } from '../shared/start-error.ts';
import { syncFolderNow } from '../shared/sync-folder.ts';
import { explained } from './file-error.ts';

/**
 * The secrets of a data folder: files in `secrets/` that only their owner may read. Errors of the file system are StartErrors
 * with advice.
 */
export interface SecretFiles {
  /** The content of a file; null when it does not exist. @throws StartError when it is empty. */
  find(name: string): string | null;
  /** Writes a file atomically, and replaces an existing one. Once this returns, the file survives a power failure. */
  put(name: string, value: string): void;
  /** Renames a file, and replaces an existing one. Once this returns, the new name survives a power failure. */
  rename(from: string, to: string): void;
  /** Where a file is, or would be: for messages. */
  pathOf(name: string): string;
}

/** What is there to be read. */
export type ExistingSecrets = Pick<SecretFiles, 'find' | 'pathOf'>;

/** @param folder the data folder */
export function secretFiles(folder: string): SecretFiles {
  const secrets = join(folder, 'secrets');
  const pathOf = (name: string) => join(secrets, name);
  const find = (name: string) => {
    if (!namesIn(secrets).includes(name)) return null;
    const file = pathOf(name);
    const value = readFileSync(file, 'utf8').trim();
    if (value !== '') return value;
    throw new StartError(
      `The file ${file} is empty. Restore it from a backup: what was stored with it cannot be opened with a new one. ` +
        `If nothing worth keeping is in ${folder}, delete that folder and start again.`,
    );
  };
  const put = (name: string, value: string) => {
    if (mkdirSync(secrets, { recursive: true, mode: 0o700 }) !== undefined) syncFolderNow(folder);
    writeWhole(pathOf(name), `${value}\n`, 0o600);
  };
  return {
    find: (name) => explained(folder, () => find(name)),
    put: (name, value) => explained(folder, () => put(name, value)),
    rename: (from, to) => explained(folder, () => renameDurably(pathOf(from), pathOf(to))),
    pathOf,
  };
}

/**
 * Writes a file atomically: after a crash, it is either complete or unchanged, and once this has returned, it is complete. The
 * temporary file has one name, so that the next call removes what a killed process has left; with `write-file-atomic`, secrets
 * would stay in such files.
 */
export function writeWhole(file: string, content: string, mode: number): void {
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true });
  const descriptor = openSync(temporary, 'wx', mode);
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameDurably(temporary, file);
}

function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  syncFolderNow(dirname(to));
}

/** The names in a folder; empty when the folder does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
