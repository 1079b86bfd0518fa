import { chmodSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { StartError } from '../shared/start-error.ts';
import { explainFileError } from './file-error.ts';
import { lockFolder } from './folder-lock.ts';
import { isRoot } from './os-process.ts';
import { namesIn, type SecretFiles, secretFiles, writeWhole } from './secret-files.ts';

/** Raised when a newer gateway keeps something in the folder that an older one would misread. */
const formatVersion = 1;
const markerName = 'gateway.json';
const marker = z.object({ format: z.number().int().positive() });

/** What a fresh disk or a file browser puts into a folder by itself; such a folder still counts as empty. */
const nobodysFiles = new Set(['lost+found', '.DS_Store', `${markerName}.new`]);

export type DataDir = {
  /** Absolute, without symbolic links. */
  readonly path: string;
  /**
   * A small secret that is made once, kept in `secrets/` with mode 0600, and the same ever after.
   *
   * @throws StartError when the file is there but cannot be read or is empty: a new one would not open what the old one closed.
   */
  secret(name: string, make: () => string): string;
  /** All of them, for what changes one. */
  readonly secrets: SecretFiles;
  /** Gives the folder to whoever asks next. Idempotent. */
  release(): void;
};

/**
 * Opens (and on the first start makes) the folder in which one gateway keeps everything, and holds it until `release()`
 * or the end of the process, however it ends.
 *
 * @throws StartError when the folder belongs to something else, cannot be read, is newer than this program, or is held
 * by another gateway. Nothing in the folder is changed then.
 */
export function openDataDir(folder: string): DataDir {
  const wanted = resolve(folder);
  return explained(wanted, () => {
    const isNew = !hasMarker(wanted);
    mkdirSync(wanted, { recursive: true, mode: 0o700 });
    if (isNew) writeWhole(join(wanted, markerName), `${JSON.stringify({ format: formatVersion })}\n`, 0o644);
    const path = realpathSync(wanted);
    const release = lockFolder(path);
    try {
      // The database runs as a user without privileges, who has to pass through (not list) this folder.
      if (isRoot()) chmodSync(path, statSync(path).mode | 0o011);
    } catch (error) {
      release();
      throw error;
    }
    const files = secretFiles(path);
    const secrets: SecretFiles = {
      find: (name) => explained(path, () => files.find(name)),
      put: (name, value) => explained(path, () => files.put(name, value)),
      rename: (from, to) => explained(path, () => files.rename(from, to)),
    };
    return { path, secrets, secret: (name, make) => secretIn(secrets, name, make), release };
  });
}

/**
 * Reads the secrets of a data folder that another gateway may be running on, or that does not exist: nothing is made, changed
 * or held.
 */
export function existingSecrets(folder: string): Pick<SecretFiles, 'find'> {
  const path = resolve(folder);
  const files = secretFiles(path);
  return { find: (name) => explained(path, () => files.find(name)) };
}

/** Whether the folder is one of ours; false when there is nothing in it yet. */
function hasMarker(folder: string): boolean {
  const names = namesIn(folder);
  if (!names.includes(markerName)) {
    const foreign = names.filter((name) => !nobodysFiles.has(name));
    if (foreign.length === 0) return false;
    throw new StartError(
      `The folder ${folder} holds other files (${foreign.slice(0, 3).join(', ')}${foreign.length > 3 ? ', …' : ''}) and is no ` +
        `data folder of a gateway, so nothing was changed in it. Set DATA_DIR to a new or empty folder.`,
    );
  }
  const text = readFileSync(join(folder, markerName), 'utf8');
  const parsed = marker.safeParse(parsedJson(text));
  if (!parsed.success) {
    throw new StartError(
      `The file ${join(folder, markerName)} is damaged, so the data folder was left alone. Restore it (its content is ` +
        `{"format":${formatVersion}}), or set DATA_DIR to another folder.`,
    );
  }
  if (parsed.data.format > formatVersion) {
    throw new StartError(
      `The data folder ${folder} was written by a newer gateway (format ${parsed.data.format}, this one knows ${formatVersion}). ` +
        `Start that newer version, or set DATA_DIR to another folder.`,
    );
  }
  return true;
}

function secretIn(files: SecretFiles, name: string, make: () => string): string {
  const found = files.find(name);
  if (found !== null) return found;
  const made = make();
  files.put(name, made);
  return made;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function explained<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explainFileError(folder, error);
  }
}
