import { randomBytes } from 'node:crypto';

/**
 * A part of every secret that tests give to a gateway. The output of gateways is searched for it (see `leaks/`). It has
 * letters and digits only, so that neither JSON nor a URL changes it, and 15 bytes, so that the base64 of any text that
 * starts with it starts the same way.
 */
export const secretMarker = 'Zq9XsecretXw4Kj';

/**
 * A part of URLs that are secrets themselves, such as those of chat webhooks. Only the configured URLs that operators
 * are shown may contain it. It has the same form.
 */
export const addressMarker = 'Zq9XaddressXw4K';

/**
 * A part of payloads, which may be shown and delivered, but not logged, audited or passed to Temporal. It has the same
 * form.
 */
export const payloadMarker = 'Zq9XpayloadXw4K';

/**
 * A secret that can be any text: a signing secret, delivery secret, token, password or API key.
 *
 * Some secrets cannot contain the marker, and only single tests search for them: published examples of providers with
 * their signatures, Ed25519 and ECDSA keys, hex keys of fixed length, secrets whose form is the subject of a test (one
 * character, 1,000 characters, beyond ASCII), and secrets that a gateway generates (the contents of `.data/secrets`).
 *
 * @param purpose identifies the secret in a report
 */
export const secretText = (purpose = 'secret') => `${secretMarker}-${purpose}`;

/** The secret part of a URL, in its path, query or credentials. */
export const secretInUrl = (purpose = 'address') => `${addressMarker}-${purpose}`;

/** A secret text in base64, for secrets that are bytes. */
export const secretBase64 = (purpose = 'secret') => Buffer.from(secretText(purpose)).toString('base64');

/** A secret of Standard Webhooks: `whsec_` and the base64 of at least 24 bytes. */
export const secretWhsec = (purpose = 'secret') => `whsec_${secretBase64(purpose.padEnd(24, '.'))}`;

/** The bytes of a SECRETS_KEY: the marker, then random bytes. */
export const randomSecretsKey = () => Buffer.concat([Buffer.from(secretMarker), randomBytes(32 - secretMarker.length)]);

/** A new random secret in a form that every provider with shared secrets accepts. */
export const newSecret = () => secretText(randomBytes(8).toString('hex'));

/** A new random secret in the form of Standard Webhooks. */
export const newWhsec = () => `whsec_${Buffer.from(newSecret()).toString('base64')}`;
