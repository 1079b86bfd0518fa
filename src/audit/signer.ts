import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import type { EntryContent } from './entry-content.ts';

/** The ends of the chain: `head` is its last entry, `anchor` the last purged one. */
export type ChainPart = 'head' | 'anchor';

/** Creates MACs and seals with one audit key. */
export interface Signer {
  /** The HMAC of an entry's content. It is written with the entry, so that a foreign row is detected before sealing. */
  entry(content: EntryContent): Buffer;
  /** The seal of an entry: covers its place and all entries before it. */
  seal(previous: Buffer, seq: number, id: string, mac: Buffer): Buffer;
  /** The HMAC of a row of audit_chain; `purgedBefore` in the form of `extract(epoch …)::text`. */
  part(part: ChainPart, seq: string, seal: Buffer, purgedBefore: string | null): Buffer;
}

/**
 * The purpose for which the audit key is derived from a secrets key. The audit key is kept longer: see retired-keys.ts.
 */
export const auditPurpose = 'audit';

/**
 * HMAC-SHA256 (RFC 2104) with a separate key for each purpose, derived from the audit key (HKDF, RFC 5869). So a value
 * for one purpose is invalid for another: a head cannot be used as an anchor. The input is a JSON array of texts, so
 * different contents always have different inputs.
 *
 * @param auditKey 32 bytes
 */
export function createSigner(auditKey: Uint8Array): Signer {
  const keyed = (purpose: string) => {
    const bytes = hkdfSync('sha256', auditKey, '', `webhook-gateway audit ${purpose}`, 32);
    // A key object, because an HMAC with a key in bytes takes four times as long.
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
