import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { usageError } from '../../exit.ts';

/** The provider whose accounts have a public key: its webhooks are signed with a private one. */
export const signsWithKeyPair = (provider: string): boolean => provider === 'sendgrid';

/** A new secret that a webhook of this provider can be signed with: a shared one, or a private key in PEM. */
export function newSigningSecret(provider: string): string {
  if (signsWithKeyPair(provider))
    return String(
      generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({ format: 'pem', type: 'pkcs8' }),
    );
  if (provider === 'adyen') return randomBytes(32).toString('hex').toUpperCase();
  if (provider === 'standard' || provider === 'stripe') return `whsec_${randomBytes(32).toString('base64')}`;
  return randomBytes(24).toString('base64url');
}

/**
 * The signing secret of the account for what its webhooks are signed with: of a private key, the public one in the form
 * that the provider shows; else the same text.
 *
 * @throws CliError for a PEM text that is not a private key
 */
export function accountSecretOf(provider: string, signingSecret: string): string {
  if (!signingSecret.startsWith('-----BEGIN')) {
    if (signsWithKeyPair(provider))
      throw usageError(
        `the secret of ${provider} must be a private key in PEM`,
        'Leave the file out, and one is made.',
      );
    return signingSecret;
  }
  try {
    const key = createPublicKey(createPrivateKey(signingSecret));
    if (key.asymmetricKeyType === 'ed25519') {
      const { x = '' } = key.export({ format: 'jwk' });
      return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
    }
    return key.export({ format: 'der', type: 'spki' }).toString('base64');
  } catch {
    // The message of OpenSSL could show a part of the key.
    throw usageError('the file with the private key cannot be read', 'It must be PEM without a passphrase.');
  }
}
