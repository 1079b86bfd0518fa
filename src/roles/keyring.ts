import type { Config } from '../config/config.ts';
import { createKeyring, type Keyring } from '../secrets/keyring.ts';
import { needed } from './needed.ts';

/** The keyring for roles that require SECRETS_KEY. SECRETS_KEY_PREVIOUS is set only while the key is being changed. */
export const keyringOf = (config: Pick<Config, 'secretsKey' | 'secretsKeyPrevious'>): Keyring =>
  createKeyring(needed(config.secretsKey), config.secretsKeyPrevious);
