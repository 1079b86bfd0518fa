import { hkdfSync } from 'node:crypto';

/** A key from SECRETS_KEY or SECRETS_KEY_PREVIOUS. It is never used as it is, only what is derived from it. */
export interface SecretsKey {
  /**
   * Eight hex digits that name the key, so that a sealed value or an archive can say which key opens it. They are derived
   * from the key and say nothing about it.
   */
  readonly id: string;
  /** The 32 bytes of the setting. */
  readonly bytes: Uint8Array;
  /**
   * A key of 32 bytes for one purpose (HKDF-SHA256, RFC 5869), so that what was made for one purpose is worth nothing for
   * another.
   *
   * @param purpose constant text, such as `backup manifest`.
   */
  derive(purpose: string): Uint8Array;
}

/** The keys that secrets are sealed with and opened by. */
export interface Keyring {
  /** Seals everything new: SECRETS_KEY. */
  readonly current: SecretsKey;
  /** Opens what has not been sealed again yet: SECRETS_KEY_PREVIOUS. Null outside a change of the key. */
  readonly previous: SecretsKey | null;
  /** The key with this id; null when it is neither of the two. */
  find(id: string): SecretsKey | null;
}

/**
 * @param current 32 bytes.
 * @param previous 32 bytes, or null. The same bytes as `current` count as null: an environment that sets both alike has
 *   changed nothing.
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
