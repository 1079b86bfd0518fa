// How the gateway verifies webhooks, as in docs/providers.md. The API does not say it.
const texts: Record<string, string | undefined> = {
  adyen: 'HMAC-SHA256 of each notification, or of the body',
  generic: 'A shared secret in a header, a bearer token or the address',
  github: 'HMAC-SHA256 of the body',
  gitlab: 'A signature, or a token in a header',
  hmac: 'An HMAC that the account describes: header, algorithm, encoding and what is signed',
  intercom: 'HMAC-SHA1 of the body',
  mailgun: 'HMAC-SHA256 of time and token',
  meta: 'HMAC-SHA256 of the body; answers hub.challenge',
  sendgrid: 'ECDSA over time and body',
  shopify: 'HMAC-SHA256 of the body',
  slack: 'HMAC-SHA256 over time and body; answers url_verification',
  standard: 'Standard Webhooks: HMAC-SHA256 or ed25519 over id, time and body',
  stripe: 'HMAC-SHA256 over time and body',
  support_chat: 'A key in the address',
  twilio: 'HMAC-SHA1 over address and form',
  vonage: "A JWT with the body's hash",
};

/** How webhooks of a provider are verified, or null for one that this page does not know. */
export const verificationOf = (provider: string): string | null => texts[provider] ?? null;
