import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import type { DataDir } from '../embedded/data-dir.ts';
import { createKeyring, type Keyring } from '../secrets/keyring.ts';
import { StartError } from '../start-error.ts';
import { keyringOf } from './keyring.ts';

/** Seals. Made on the first start. */
const currentFile = 'secrets-key';
/** There while a change of the key goes on. */
const previousFile = 'secrets-key-previous';

/**
 * The keys of `npm start`: SECRETS_KEY and SECRETS_KEY_PREVIOUS when they are set, else those in the data folder.
 *
 * @throws StartError for a file that holds no key.
 */
export function ownKeyring(dataDir: DataDir, config: Pick<Config, 'secretsKey' | 'secretsKeyPrevious'>): Keyring {
  if (config.secretsKey !== null) return keyringOf(config);
  const current = keyIn(dataDir, currentFile, dataDir.secret(currentFile, newKey));
  const previous = dataDir.secrets.find(previousFile);
  return createKeyring(
    current,
    config.secretsKeyPrevious ?? (previous === null ? null : keyIn(dataDir, previousFile, previous)),
  );
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
  const previous = dataDir.secrets.find(previousFile);
  if (previous === null) return null;
  const name = `${currentFile}-${createKeyring(keyIn(dataDir, previousFile, previous)).current.id}`;
  dataDir.secrets.rename(previousFile, name);
  return name;
}

const newKey = () => randomBytes(32).toString('base64');

function keyIn(dataDir: DataDir, name: string, text: string): Uint8Array {
  const key = Buffer.from(text, 'base64');
  if (key.length === 32) return new Uint8Array(key);
  throw new StartError(`The file ${name} in ${dataDir.path}/secrets holds no key: it must be 32 bytes in base64.`);
}
