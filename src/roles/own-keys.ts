import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { type DataDir, existingSecrets } from '../embedded/data-dir.ts';
import type { ExistingSecrets } from '../embedded/secret-files.ts';
import { createKeyring, type Keyring } from '../secrets/keyring.ts';
import { StartError } from '../shared/start-error.ts';
import { needed } from './needed.ts';

/** The file of the current key, created at the first start. */
const currentFile = 'secrets-key';
/** The file of the previous key, which exists only while the key is being changed. */
const previousFile = 'secrets-key-previous';

type KeySettings = Pick<Config, 'secretsKey' | 'secretsKeyPrevious'>;

/**
 * The keyring of `npm start`: the one that `existingKeyring` finds. The first start creates a key in the data folder.
 *
 * @throws StartError for a file without a valid key.
 */
export function ownKeyring(dataDir: DataDir, config: KeySettings): Keyring {
  if (config.secretsKey === null) dataDir.secret(currentFile, newKey);
  return needed(keyringIn(dataDir.secrets, config));
}

/**
 * The keyring from SECRETS_KEY and SECRETS_KEY_PREVIOUS, or else from the data folder, which is only read. While its
 * key is being changed, the folder also has a previous key; SECRETS_KEY_PREVIOUS takes precedence over it.
 *
 * @returns null when neither SECRETS_KEY nor the data folder has a key.
 * @throws StartError for a file without a valid key.
 */
export const existingKeyring = (config: KeySettings & Pick<Config, 'dataDir'>): Keyring | null =>
  keyringIn(existingSecrets(config.dataDir), config);

function keyringIn(secrets: ExistingSecrets, config: KeySettings): Keyring | null {
  if (config.secretsKey !== null) return createKeyring(config.secretsKey, config.secretsKeyPrevious);
  const current = keyIn(secrets, currentFile);
  return current && createKeyring(current, config.secretsKeyPrevious ?? keyIn(secrets, previousFile));
}

/**
 * Creates a new key and keeps the current one as the previous key. Has no effect when a change is already in progress,
 * so that the command can be repeated after a crash.
 *
 * @throws StartError when the data folder has no key yet.
 */
export function beginKeyChange(dataDir: DataDir): void {
  const { secrets } = dataDir;
  const current = secrets.find(currentFile);
  if (current === null)
    throw new StartError(`There is no key in ${dataDir.path} to be changed: the first start makes one.`);
  const previous = secrets.find(previousFile);
  if (previous !== null && previous !== current) return;
  // In this order: after a crash in between, both files have the same key, so nothing has changed.
  secrets.put(previousFile, current);
  secrets.put(currentFile, newKey());
}

/**
 * Renames the file of the previous key. Only old backups still need the key.
 *
 * @returns the name of its file in `secrets/`; null when the data folder has no previous key.
 */
export function endKeyChange(dataDir: DataDir): string | null {
  const previous = keyIn(dataDir.secrets, previousFile);
  if (previous === null) return null;
  const name = `${currentFile}-${createKeyring(previous).current.id}`;
  dataDir.secrets.rename(previousFile, name);
  return name;
}

const newKey = () => randomBytes(32).toString('base64');

function keyIn(secrets: ExistingSecrets, name: string): Uint8Array | null {
  const text = secrets.find(name);
  if (text === null) return null;
  const key = Buffer.from(text, 'base64');
  if (key.length === 32) return new Uint8Array(key);
  throw new StartError(`The file ${secrets.pathOf(name)} holds no key: it must be 32 bytes in base64.`);
}
