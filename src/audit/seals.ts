import { createHmac, createSecretKey } from 'node:crypto';
import type { Keyring } from '../secrets/keyring.ts';
import type { EntryContent } from './entry.ts';

/** A place in the chain, with the seal that it has there. */
export interface ChainPoint {
  seq: number;
  seal: Buffer;
}

/** Which end of the chain is kept apart: where it ends, or where a purge has cut it. */
export type ChainPart = 'head' | 'anchor';

/** Makes everything that only the holder of SECRETS_KEY can make. */
export interface Seals {
  /** Over the content of an entry; written with it, so that a row that somebody else wrote shows before it is sealed. */
  entryMac(content: EntryContent): Buffer;
  /** Over an entry's place and everything before it. */
  seal(previous: Buffer, seq: number, id: string, mac: Buffer): Buffer;
  /** Over a row of audit_chain; `purgedBefore` as `extract(epoch …)::text`. */
  partMac(part: ChainPart, seq: string, seal: Buffer, purgedBefore: string | null): Buffer;
}

/** Where a chain begins: before its first entry. */
export const beginning: ChainPoint = { seq: 0, seal: Buffer.alloc(32) };

/**
 * HMAC-SHA256 (RFC 2104) under keys of their own, derived from SECRETS_KEY (HKDF, RFC 5869), so that nothing made for one
 * purpose serves another: the head is no anchor. What is sealed is a JSON array of texts, so no two contents look alike.
 */
export function createSeals(keyring: Keyring): Seals {
  const keyed = (purpose: string) => {
    // A key object: from bytes, each HMAC takes four times as long.
    const key = createSecretKey(keyring.current.derive(`audit ${purpose}`));
    return (...fields: (string | null)[]) => createHmac('sha256', key).update(JSON.stringify(fields)).digest();
  };
  const entry = keyed('entry');
  const seal = keyed('seal');
  const parts = { head: keyed('head'), anchor: keyed('anchor') };
  return {
    entryMac: (e) =>
      entry(
        e.id,
        e.actor,
        e.action,
        e.ip_address,
        e.epoch,
        e.details,
        e.noted_seq,
        e.noted_seal?.toString('hex') ?? null,
      ),
    seal: (previous, seq, id, mac) => seal(previous.toString('hex'), String(seq), id, mac.toString('hex')),
    partMac: (part, seq, sealBytes, purgedBefore) => parts[part](seq, sealBytes.toString('hex'), purgedBefore),
  };
}
