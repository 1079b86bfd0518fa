import { createKeyring, type Keyring } from '../../src/secrets/keyring.ts';
import { randomSecretsKey } from './secrets.ts';

/** A keyring with one new key. */
export const randomKeyring = (): Keyring => createKeyring(new Uint8Array(randomSecretsKey()));

/** The current key of a keyring, in the form of SECRETS_KEY. */
export const secretsKeyOf = (keyring: Keyring): string => Buffer.from(keyring.current.bytes).toString('base64');
