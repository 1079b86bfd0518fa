import { randomBytes } from 'node:crypto';

/**
 * Stands in every secret that tests give to a gateway, and nowhere else: what the gateway writes is searched for it (see
 * `leaks/`). Letters and digits only, so that neither JSON nor a URL changes it; 15 bytes, so that base64 of text that
 * begins with it begins the same way.
 */
export const secretMarker = 'Zq9XsecretXw4Kj';

/**
 * Stands in URLs that let in whoever knows them, such as those of chat webhooks. Operators are shown the URLs that they have
 * configured; nothing else may hold them. Of the same form.
 */
export const addressMarker = 'Zq9XaddressXw4K';

/**
 * Stands in payloads that may be shown and delivered, but never logged, audited or handed to Temporal. Of the same form.
 */
export const payloadMarker = 'Zq9XpayloadXw4K';

/**
 * A secret that is any text: signing secrets, delivery secrets, tokens, passwords, API keys.
 *
 * What cannot carry the marker, and is searched for only where a test does so itself: examples that a provider published
 * with their signatures, Ed25519 and ECDSA keys, hex keys of fixed length, secrets whose very form a test is about (one
 * character, 1,000 characters, beyond ASCII), and what a gateway makes up by itself (the contents of `.data/secrets`).
 *
 * @param purpose says in a report which secret was found
 */
export const secretText = (purpose = 'secret') => `${secretMarker}-${purpose}`;

/** The secret part of a URL: of its path, its query or its credentials. */
export const secretInUrl = (purpose = 'address') => `${addressMarker}-${purpose}`;

/** A secret text in base64, for secrets that are bytes. */
export const secretBase64 = (purpose = 'secret') => Buffer.from(secretText(purpose)).toString('base64');

/** A secret of Standard Webhooks: `whsec_` and the base64 of at least 24 bytes. */
export const secretWhsec = (purpose = 'secret') => `whsec_${secretBase64(purpose.padEnd(24, '.'))}`;

/** A SECRETS_KEY as bytes: the marker, then random ones. */
export const randomSecretsKey = () => Buffer.concat([Buffer.from(secretMarker), randomBytes(32 - secretMarker.length)]);

/** A new secret each time, of a form that every provider takes as a shared one. */
export const newSecret = () => secretText(randomBytes(8).toString('hex'));

/** The same in the form of Standard Webhooks. */
export const newWhsec = () => `whsec_${Buffer.from(newSecret()).toString('base64')}`;
