import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeyring } from '../../src/secrets/keyring.ts';

describe('the keyring', () => {
  const [first, second] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];

  it('names a key by an id that is the same in every process', () => {
    expect(createKeyring(first).current.id).toMatch(/^[0-9a-f]{8}$/);
    expect(createKeyring(first).current.id).toBe(createKeyring(second, first).previous?.id);
    expect(createKeyring(first).current.id).not.toBe(createKeyring(second).current.id);
  });

  it('finds both keys by their ids, and no other key', () => {
    const ring = createKeyring(first, second);
    expect(ring.find(ring.current.id)).toBe(ring.current);
    expect(ring.find(createKeyring(second).current.id)).toBe(ring.previous);
    expect(ring.find(createKeyring(randomBytes(32)).current.id)).toBeNull();
  });

  it('has no previous key when both settings hold the same key', () => {
    const ring = createKeyring(first, new Uint8Array(first));
    expect(ring.previous).toBeNull();
    expect(ring.find(ring.current.id)).toBe(ring.current);
  });

  it('derives a key of 32 bytes for each purpose, none of which is the key itself', () => {
    const { current } = createKeyring(first);
    expect(current.derive('one')).toHaveLength(32);
    expect(current.derive('one')).toEqual(createKeyring(first).current.derive('one'));
    expect(current.derive('one')).not.toEqual(current.derive('another'));
    expect(current.derive('one')).not.toEqual(first);
  });
});
