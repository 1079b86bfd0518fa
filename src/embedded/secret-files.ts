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
import { join } from 'node:path';
import { StartError } from '../shared/start-error.ts';

/** The small secrets of a data folder: files in `secrets/`, which only their owner may read. */
export interface SecretFiles {
  /** The content of a file; null when there is none. @throws StartError when it is empty. */
  find(name: string): string | null;
  /** Writes a file, in place of one of that name. After a crash there is the whole of it or what was before. */
  put(name: string, value: string): void;
  /** Gives a file another name, in place of one that has it. */
  rename(from: string, to: string): void;
}

/** @param folder the data folder */
export function secretFiles(folder: string): SecretFiles {
  const secrets = join(folder, 'secrets');
  return {
    find(name) {
      if (!namesIn(secrets).includes(name)) return null;
      const file = join(secrets, name);
      const value = readFileSync(file, 'utf8').trim();
      if (value !== '') return value;
      throw new StartError(
        `The file ${file} is empty. Restore it from a backup: what was stored with it cannot be opened with a new one. ` +
          `If nothing worth keeping is in ${folder}, delete that folder and start again.`,
      );
    },
    put(name, value) {
      mkdirSync(secrets, { recursive: true, mode: 0o700 });
      writeWhole(join(secrets, name), `${value}\n`, 0o600);
    },
    rename: (from, to) => renameSync(join(secrets, from), join(secrets, to)),
  };
}

/** Writes a file so that after a crash there is either the whole of it or none. */
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
  renameSync(temporary, file);
}

/** The names in a folder; none when there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
