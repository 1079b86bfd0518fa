import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type DataDir, existingSecrets } from '../embedded/data-dir.ts';
import type { SecretFiles } from '../embedded/secret-files.ts';
import { createKeyring, type Keyring } from '../secrets/keyring.ts';
import { StartError } from '../shared/start-error.ts';
import { needed } from './needed.ts';

/** Seals. Made on the first start. */
const currentFile = 'secrets-key';
/** There while a change of the key goes on. */
const previousFile = 'secrets-key-previous';

type KeySettings = Pick<Config, 'secretsKey' | 'secretsKeyPrevious'>;

/**
 * The keys of `npm start`: those that `existingKeyring` finds. The first start makes a key in the data folder.
 *
 * @throws StartError for a file that holds no key.
 */
export function ownKeyring(dataDir: DataDir, config: KeySettings): Keyring {
  if (config.secretsKey === null) dataDir.secret(currentFile, newKey);
  return needed(keyringIn(dataDir.path, dataDir.secrets, config));
}

/**
 * SECRETS_KEY and SECRETS_KEY_PREVIOUS when they are set, else the keys in the data folder, which is only read. During a change of
 * its key the folder has a previous one, too; SECRETS_KEY_PREVIOUS goes before that.
 *
 * @returns null when neither SECRETS_KEY nor the data folder has a key.
 * @throws StartError for a file that holds no key.
 */
export const existingKeyring = (config: KeySettings & Pick<Config, 'dataDir'>): Keyring | null =>
  keyringIn(config.dataDir, existingSecrets(config.dataDir), config);

function keyringIn(folder: string, secrets: Pick<SecretFiles, 'find'>, config: KeySettings): Keyring | null {
  if (config.secretsKey !== null) return createKeyring(config.secretsKey, config.secretsKeyPrevious);
  const current = keyIn(folder, secrets, currentFile);
  return current && createKeyring(current, config.secretsKeyPrevious ?? keyIn(folder, secrets, previousFile));
}

/**
 * Makes a new key and keeps the one before beside it. Does nothing when a change goes on already, so that the command can be
 * given again after a crash.
 *
 * @throws StartError when there is no key in the data folder yet.
 */
export function beginKeyChange(dataDir: DataDir): void {
  const { secrets } = dataDir;
  const current = secrets.find(currentFile);
  if (current === null)
    throw new StartError(`There is no key in ${dataDir.path} to be changed: the first start makes one.`);
  const previous = secrets.find(previousFile);
  if (previous !== null && previous !== current) return;
  // In this order: a crash in between leaves the same key in both files, which is no change.
  secrets.put(previousFile, current);
  secrets.put(currentFile, newKey());
}

/**
 * Puts the previous key aside: nothing but archives needs it any more.
 *
 * @returns the name of its file in `secrets/`; null when the data folder has no previous key.
 */
export function endKeyChange(dataDir: DataDir): string | null {
  const previous = keyIn(dataDir.path, dataDir.secrets, previousFile);
  if (previous === null) return null;
  const name = `${currentFile}-${createKeyring(previous).current.id}`;
  dataDir.secrets.rename(previousFile, name);
  return name;
}

const newKey = () => randomBytes(32).toString('base64');

function keyIn(folder: string, secrets: Pick<SecretFiles, 'find'>, name: string): Uint8Array | null {
  const text = secrets.find(name);
  if (text === null) return null;
  const key = Buffer.from(text, 'base64');
  if (key.length === 32) return new Uint8Array(key);
  throw new StartError(`The file ${name} in ${join(folder, 'secrets')} holds no key: it must be 32 bytes in base64.`);
}
