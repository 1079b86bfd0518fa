import { hkdfSync } from 'node:crypto';

/** A key from SECRETS_KEY or SECRETS_KEY_PREVIOUS. It is never used directly; only derived keys are. */
export interface SecretsKey {
  /**
   * Eight hex digits that identify the key, so that an encrypted value or an archive can name the key that decrypts it.
   * They are derived from the key and reveal nothing about it.
   */
  readonly id: string;
  /** The 32 bytes of the setting. */
  readonly bytes: Uint8Array;
  /**
   * Derives a key of 32 bytes for one purpose (HKDF-SHA256, RFC 5869). A value that was created for one purpose is
   * invalid for every other.
   *
   * @param purpose constant text, such as `backup manifest`.
   */
  derive(purpose: string): Uint8Array;
}

/** The keys that encrypt and decrypt secrets. */
export interface Keyring {
  /** SECRETS_KEY: encrypts all new values. */
  readonly current: SecretsKey;
  /** SECRETS_KEY_PREVIOUS: decrypts values that are not encrypted again yet. Null when the key is not being changed. */
  readonly previous: SecretsKey | null;
  /** The key with this id; null when it is neither of the two. */
  find(id: string): SecretsKey | null;
}

/**
 * Creates a keyring.
 *
 * @param current 32 bytes.
 * @param previous 32 bytes, or null. The same bytes as `current` count as null, because the key is not changed then.
 */
export function createKeyring(current: Uint8Array, previous: Uint8Array | null = null): Keyring {
  const keys = { current: secretsKey(current), previous: previous && secretsKey(previous) };
  const earlier = keys.previous?.id === keys.current.id ? null : keys.previous;
  return {
    current: keys.current,
    previous: earlier,
    find: (id) => [keys.current, earlier].find((key) => key?.id === id) ?? null,
  };
}

function secretsKey(bytes: Uint8Array): SecretsKey {
  const derive = (purpose: string) => new Uint8Array(hkdfSync('sha256', bytes, '', `webhook-gateway ${purpose}`, 32));
  return { id: Buffer.from(derive('key id').subarray(0, 4)).toString('hex'), bytes, derive };
}
