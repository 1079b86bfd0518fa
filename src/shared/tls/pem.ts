import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

/** A PEM file or text that cannot be used. `message` continues a sentence that begins with the name of the setting. */
export class PemError extends Error {
  override name = 'PemError';
}

/** All public certificate authorities together take a quarter of this. */
const maxBytes = 1024 * 1024;

/**
 * Reads a PEM file that a setting names.
 *
 * @throws PemError when it is missing, unreadable, no file, or larger than 1 MiB.
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
 * The certificates of a PEM text, in its order: a bundle of authorities, or a certificate with its chain.
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
 * A private key without a passphrase.
 *
 * @throws PemError when it is none, or is encrypted. What it holds is not repeated.
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

/** Whether a private key is that of a certificate. */
export const isKeyOf = (key: KeyObject, [certificate]: X509Certificate[]): boolean =>
  certificate?.checkPrivateKey(key) === true;
