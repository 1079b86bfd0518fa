import type { Config } from '../config.ts';
import { createKeyring, type Keyring } from '../secrets/keyring.ts';
import { needed } from './needed.ts';

/** The keys of a role that must be given them: SECRETS_KEY, and SECRETS_KEY_PREVIOUS during a change of the key. */
export const keyringOf = (config: Pick<Config, 'secretsKey' | 'secretsKeyPrevious'>): Keyring =>
  createKeyring(needed(config.secretsKey), config.secretsKeyPrevious);
