import type { Keyring, SecretsKey } from '../secrets/keyring.ts';
import type { EntryContent } from './entry-content.ts';
import { auditPurpose, type ChainPart, createSigner, type Signer } from './signer.ts';

/** A place in the chain, with the seal that it has there. */
export interface ChainPoint {
  seq: number;
  seal: Buffer;
}

/** Where a chain begins: before its first entry. */
export const beginning: ChainPoint = { seq: 0, seal: Buffer.alloc(32) };

/** A key that was replaced. It vouches for the entries up to `end`, and for nothing after them. */
export interface RetiredKey {
  id: string;
  signer: Signer;
  /** Where the chain ended when the key was retired; `beginning` when nothing was sealed yet. */
  end: ChainPoint;
}

/** Makes and checks everything that only the holder of SECRETS_KEY can make. A MAC is `key id | HMAC`. */
export interface Seals {
  /** Over the content of an entry, under the current key. */
  entryMac(content: EntryContent): Buffer;
  /** @param seq the entry's place in the chain; null for one that is not sealed, for which no retired key vouches. */
  isEntryMac(content: EntryContent, mac: Buffer, seq: number | null): boolean;
  /**
   * Over an entry's place and everything before it, under the key that the entry's MAC names, so that each process that knows
   * the key makes the same chain. Null when that key does not vouch for this place.
   */
  seal(previous: Buffer, seq: number, id: string, mac: Buffer): Buffer | null;
  /** Over a row of audit_chain, under the current key. */
  partMac(part: ChainPart, seq: string, seal: Buffer, purgedBefore: string | null): Buffer;
  isPartMac(part: ChainPart, seq: string, seal: Buffer, purgedBefore: string | null, mac: Buffer): boolean;
  /** Whether a MAC names a key that other processes use and this one was not given: theirs to check and to seal. */
  isOfOthers(mac: Buffer): boolean;
  /** The chain must pass through these places: where each retired key's time ended, in the order of the chain. */
  readonly ends: readonly ChainPoint[];
}

/** A key's id as bytes. */
const idBytes = 4;

/** The id of the key that a MAC names. */
const macKeyId = (mac: Buffer): string => mac.subarray(0, idBytes).toString('hex');

/**
 * The seals of a keyring, together with the keys that were retired before.
 *
 * @param retired a key of the keyring that is among them counts as retired
 * @param registered the ids of the keys in use, also of those that the keyring does not have
 */
export function createSeals(
  keyring: Keyring,
  retired: readonly RetiredKey[] = [],
  registered: readonly string[] = [],
): Seals {
  const signerOf = (key: SecretsKey) => createSigner(key.derive(auditPurpose));
  const current = signerOf(keyring.current);
  const inUse = new Map([[keyring.current.id, current]]);
  if (keyring.previous) inUse.set(keyring.previous.id, signerOf(keyring.previous));
  const before = new Map(retired.map((key) => [key.id, key]));
  for (const { id } of retired) inUse.delete(id);

  const vouching = (mac: Buffer, seq: number | null): Signer | null => {
    const id = macKeyId(mac);
    const key = before.get(id);
    if (key) return seq !== null && seq <= key.end.seq ? key.signer : null;
    return inUse.get(id) ?? null;
  };
  const named = (hmac: Buffer) => Buffer.concat([Buffer.from(keyring.current.id, 'hex'), hmac]);
  return {
    entryMac: (content) => named(current.entry(content)),
    isEntryMac: (content, mac, seq) => vouching(mac, seq)?.entry(content).equals(mac.subarray(idBytes)) ?? false,
    seal: (previous, seq, id, mac) => vouching(mac, seq)?.seal(previous, seq, id, mac) ?? null,
    partMac: (...of) => named(current.part(...of)),
    isPartMac: (part, seq, seal, purgedBefore, mac) =>
      vouching(mac, null)?.part(part, seq, seal, purgedBefore).equals(mac.subarray(idBytes)) ?? false,
    isOfOthers: (mac) => registered.includes(macKeyId(mac)) && !inUse.has(macKeyId(mac)),
    ends: retired.map(({ end }) => end).toSorted((a, b) => a.seq - b.seq),
  };
}
