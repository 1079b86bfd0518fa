import { createPublicKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { signatureBytes } from './signature.ts';

/** Reading a key costs as much as verifying with it. Far more than the accounts that one gateway has keys for. */
const read = new LRUCache<string, { key: KeyObject | null }>({ max: 1000 });

/** An encoded key is 59 or 91 bytes; what is much longer is none and not worth keeping. */
const maxTextLength = 1000;

/** The ECDSA public key on the curve P-256 that `text` holds: base64 of its DER (SPKI), bare or as PEM; null if none. */
export function p256Key(text: string): KeyObject | null {
  if (text.length > maxTextLength) return null;
  const known = read.get(text);
  if (known) return known.key;
  const key = parse(text);
  read.set(text, { key });
  return key;
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
