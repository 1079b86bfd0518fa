import { createPublicKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { signatureBytes } from './signature.ts';

/** Parsed keys. Parsing a key costs as much as verifying with it. No gateway has as many accounts with such keys. */
const read = new LRUCache<string, { key: KeyObject | null }>({
  max: 1000,
  memoMethod: (text) => ({ key: parse(text) }),
});

/** An encoded key has 59 or 91 bytes, so a much longer text is not a key and is not cached. */
const maxTextLength = 1000;

/** Parses an ECDSA P-256 public key: base64 of its DER (SPKI), with or without PEM lines. Null when it is not one. */
export function p256Key(text: string): KeyObject | null {
  return text.length > maxTextLength ? null : read.memo(text).key;
}

function parse(text: string): KeyObject | null {
  const base64 = text.replace(/-----(?:BEGIN|END) PUBLIC KEY-----/g, '').replace(/\s+/g, '');
  const der = signatureBytes(base64, 'base64');
  if (!der) return null;
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}
