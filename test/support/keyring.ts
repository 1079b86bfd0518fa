import { createKeyring, type Keyring } from '../../src/secrets/keyring.ts';
import { randomSecretsKey } from './secrets.ts';

/** A keyring of one key that nothing else uses. */
export const randomKeyring = (): Keyring => createKeyring(new Uint8Array(randomSecretsKey()));

/** The key that a keyring seals with, as SECRETS_KEY has it. */
export const secretsKeyOf = (keyring: Keyring): string => Buffer.from(keyring.current.bytes).toString('base64');
