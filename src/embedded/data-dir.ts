import { chmodSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { StartError } from '../shared/start-error.ts';
import { explained } from './file-error.ts';
import { lockFolder } from './folder-lock.ts';
import { isRoot } from './os-process.ts';
import { type ExistingSecrets, namesIn, type SecretFiles, secretFiles, writeWhole } from './secret-files.ts';

/** Increased when a newer gateway stores something in the folder that an older one would misread. */
const formatVersion = 1;
const markerName = 'gateway.json';
const marker = z.object({ format: z.number().int().positive() });

/** Files that a new disk or a file browser creates by itself. A folder with only these counts as empty. */
const ignoredFiles = new Set(['lost+found', '.DS_Store', `${markerName}.new`]);

export type DataDir = {
  /** The absolute path, without symbolic links. */
  readonly path: string;
  /**
   * A small secret, created at the first call and kept in `secrets/` with mode 0600.
   *
   * @throws StartError when the file exists but is empty or cannot be read: values that were encrypted with the lost
   *   secret could not be decrypted with a new one.
   */
  secret(name: string, make: () => string): string;
  /** All secrets, for code that changes one. */
  readonly secrets: SecretFiles;
  /** Releases the lock of the folder. Idempotent. */
  release(): void;
};

/**
 * Opens the data folder of a gateway and locks it until `release()` or the end of the process. Creates it at the first
 * start.
 *
 * @throws StartError when the folder contains other files, cannot be read, was written by a newer gateway, or is locked
 *   by another gateway. Nothing in the folder is changed then.
 */
export function openDataDir(folder: string): DataDir {
  const wanted = resolve(folder);
  return explained(wanted, () => {
    const isNew = !hasMarker(wanted);
    if (!isNew && isRoot()) checkOwner(wanted);
    // Parents get the usual mode: as root, the database runs as another user, who has to enter them.
    mkdirSync(dirname(wanted), { recursive: true });
    mkdirSync(wanted, { recursive: true, mode: 0o700 });
    if (isNew) writeWhole(join(wanted, markerName), `${JSON.stringify({ format: formatVersion })}\n`, 0o644);
    const path = realpathSync(wanted);
    const release = lockFolder(path);
    try {
      // The database runs as an unprivileged user, who needs permission to enter this folder, but not to list it.
      if (isRoot()) chmodSync(path, statSync(path).mode | 0o011);
    } catch (error) {
      release();
      throw error;
    }
    const secrets = secretFiles(path);
    return { path, secrets, secret: (name, make) => secretIn(secrets, name, make), release };
  });
}

/**
 * Reads the secrets of a data folder without locking or changing it. The folder may be in use by a gateway, or may not
 * exist.
 */
export const existingSecrets = (folder: string): ExistingSecrets => secretFiles(resolve(folder));

/** The files of `secrets/`; a retired key has its id in its name. An operator puts a key there before a restore. */
const secretName = /^(secrets-key(-previous|-[0-9a-f]{8})?|admin-token|postgres-password)$/;

/** Whether a name in a folder without a marker is the `secrets/` that an operator has put there. */
const isOwnSecrets = (folder: string, name: string) =>
  name === 'secrets' &&
  statSync(join(folder, name)).isDirectory() &&
  namesIn(join(folder, name)).every((file) => secretName.test(file));

/**
 * As root, PostgreSQL runs as a user of its own, who must own its folder. Where the gateway's user owns it, root would close the
 * folder, and the files that it makes, to that user.
 */
function checkOwner(folder: string): void {
  const owner = statSync(join(folder, markerName)).uid;
  const database = statSync(join(folder, 'postgres', 'data'), { throwIfNoEntry: false });
  if (owner === 0 || database?.uid !== owner) return;
  throw new StartError(
    `The data folder ${folder} belongs to the user ${owner}, and would be closed to that user after a run as root. Nothing was ` +
      `changed in it. Run the command as that user: put sudo -u '#${owner}' before it.`,
  );
}

/** Whether the folder is a data folder of a gateway; false when it is empty, or has only secrets. */
function hasMarker(folder: string): boolean {
  const names = namesIn(folder);
  if (!names.includes(markerName)) {
    const foreign = names.filter((name) => !ignoredFiles.has(name) && !isOwnSecrets(folder, name));
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
