import type { Keyring, SecretsKey } from '../secrets/keyring.ts';
import type { EntryContent } from './entry-content.ts';
import { auditPurpose, type ChainPart, createSigner, type Signer } from './signer.ts';

/** A place in the chain and the seal of the entry at this place. */
export interface ChainPoint {
  seq: number;
  seal: Buffer;
}

/** The point before the first entry of a chain. */
export const beginning: ChainPoint = { seq: 0, seal: Buffer.alloc(32) };

/** A key that was replaced. It is valid only for entries up to `end`. */
export interface RetiredKey {
  id: string;
  signer: Signer;
  /** The end of the chain when the key was retired; `beginning` if no entry was sealed by then. */
  end: ChainPoint;
}

/** Creates and checks the MACs and seals, which require SECRETS_KEY. A MAC is `key id | HMAC`. */
export interface Seals {
  /** The MAC of an entry's content, under the current key. */
  entryMac(content: EntryContent): Buffer;
  /** @param seq the entry's place in the chain; null for an unsealed entry, for which no retired key is valid. */
  isEntryMac(content: EntryContent, mac: Buffer, seq: number | null): boolean;
  /**
   * The seal of an entry: it covers the entry's place and all entries before it. It uses the key that the entry's MAC
   * names, so that all processes with this key create the same chain. Null when that key is not valid for this place.
   */
  seal(previous: Buffer, seq: number, id: string, mac: Buffer): Buffer | null;
  /** The MAC of a row of audit_chain, under the current key. */
  partMac(part: ChainPart, seq: string, seal: Buffer, purgedBefore: string | null): Buffer;
  isPartMac(part: ChainPart, seq: string, seal: Buffer, purgedBefore: string | null, mac: Buffer): boolean;
  /** Whether a MAC names a key that only other processes have. They check and seal its entries. */
  isOfOthers(mac: Buffer): boolean;
  /** The points at which keys were retired, in the order of the chain. The chain must contain them. */
  readonly ends: readonly ChainPoint[];
}

/** The length of a key's id in a MAC, in bytes. */
const idBytes = 4;

/** The id of the key in a MAC. */
const macKeyId = (mac: Buffer): string => mac.subarray(0, idBytes).toString('hex');

/**
 * The seals of a keyring and of the retired keys.
 *
 * @param retired the retired keys; a key of the keyring that is among them counts as retired
 * @param registered the ids of all keys in use, including those that the keyring does not have
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

  const validSigner = (mac: Buffer, seq: number | null): Signer | null => {
    const id = macKeyId(mac);
    const key = before.get(id);
    if (key) return seq !== null && seq <= key.end.seq ? key.signer : null;
    return inUse.get(id) ?? null;
  };
  const named = (hmac: Buffer) => Buffer.concat([Buffer.from(keyring.current.id, 'hex'), hmac]);
  return {
    entryMac: (content) => named(current.entry(content)),
    isEntryMac: (content, mac, seq) => validSigner(mac, seq)?.entry(content).equals(mac.subarray(idBytes)) ?? false,
    seal: (previous, seq, id, mac) => validSigner(mac, seq)?.seal(previous, seq, id, mac) ?? null,
    partMac: (...of) => named(current.part(...of)),
    isPartMac: (part, seq, seal, purgedBefore, mac) =>
      validSigner(mac, null)?.part(part, seq, seal, purgedBefore).equals(mac.subarray(idBytes)) ?? false,
    isOfOthers: (mac) => registered.includes(macKeyId(mac)) && !inUse.has(macKeyId(mac)),
    ends: retired.map(({ end }) => end).toSorted((a, b) => a.seq - b.seq),
  };
}
