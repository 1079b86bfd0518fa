import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import type { EntryContent } from './entry-content.ts';

/** Which end of the chain is kept apart: where it ends, or where a purge has cut it. */
export type ChainPart = 'head' | 'anchor';

/** Makes everything that only the holder of one audit key can make. */
export interface Signer {
  /** Over the content of an entry; written with it, so that a row that somebody else wrote shows before it is sealed. */
  entry(content: EntryContent): Buffer;
  /** Over an entry's place and everything before it. */
  seal(previous: Buffer, seq: number, id: string, mac: Buffer): Buffer;
  /** Over a row of audit_chain; `purgedBefore` as `extract(epoch …)::text`. */
  part(part: ChainPart, seq: string, seal: Buffer, purgedBefore: string | null): Buffer;
}

/** What a secrets key derives its audit key for. The audit key outlives it: see retired-keys.ts. */
export const auditPurpose = 'audit';

/**
 * HMAC-SHA256 (RFC 2104) under keys of their own, derived from the audit key (HKDF, RFC 5869), so that nothing made for one
 * purpose serves another: the head is no anchor. What is sealed is a JSON array of texts, so no two contents look alike.
 *
 * @param auditKey 32 bytes
 */
export function createSigner(auditKey: Uint8Array): Signer {
  const keyed = (purpose: string) => {
    const bytes = hkdfSync('sha256', auditKey, '', `webhook-gateway audit ${purpose}`, 32);
    // A key object: from bytes, each HMAC takes four times as long.
    const key = createSecretKey(Buffer.from(bytes));
    return (...fields: (string | null)[]) => createHmac('sha256', key).update(JSON.stringify(fields)).digest();
  };
  const entry = keyed('entry');
  const seal = keyed('seal');
  const parts = { head: keyed('head'), anchor: keyed('anchor') };
  return {
    entry: (e) =>
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
    part: (part, seq, sealBytes, purgedBefore) => parts[part](seq, sealBytes.toString('hex'), purgedBefore),
  };
}
