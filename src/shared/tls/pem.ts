import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

/** A PEM file or text that cannot be used. `message` continues a sentence that begins with the name of the setting. */
export class PemError extends Error {
  override name = 'PemError';
}

/** Four times the size of all public certificate authorities together. */
const maxBytes = 1024 * 1024;

/**
 * Reads a PEM file that a setting names.
 *
 * @throws PemError when it is missing, unreadable, not a file, or larger than 1 MiB.
 */
export function readPem(path: string): string {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) throw new PemError(`must be a file: ${path} is none`);
    if (stat.size > maxBytes) throw new PemError(`must be a PEM file: ${path} is larger than 1 MiB`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof PemError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new PemError(`cannot be read: ${path} (${code})`);
  }
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/**
 * Parses the certificates of a PEM text, in its order: a bundle of authorities, or a certificate with its chain.
 *
 * @throws PemError when there is none, or one cannot be read.
 */
export function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(certificateBlock) ?? [];
  if (blocks.length === 0) throw new PemError('holds no certificate in PEM (-----BEGIN CERTIFICATE-----)');
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new PemError(`holds a damaged certificate (number ${index + 1})`);
    }
  });
}

/**
 * Parses a private key without a passphrase.
 *
 * @throws PemError when the text is not a private key, or is encrypted. The error does not repeat the text.
 */
export function privateKeyIn(pem: string): KeyObject {
  if (/^(-----BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED)/m.test(pem))
    throw new PemError('is encrypted, and a passphrase is not supported; decrypt it with: openssl pkey -in <file>');
  try {
    return createPrivateKey(pem);
  } catch {
    throw new PemError('holds no private key in PEM (-----BEGIN PRIVATE KEY-----)');
  }
}

/** Whether a private key belongs to the first certificate. */
export const isKeyOf = (key: KeyObject, [certificate]: X509Certificate[]): boolean =>
  certificate?.checkPrivateKey(key) === true;
