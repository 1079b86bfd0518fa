const bytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));

/** A secret for a provider: 192 random bits in hexadecimal, which needs no encoding in headers and addresses. */
export const newSigningSecret = () => Array.from(bytes(24), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** A secret for deliveries in the form of Standard Webhooks, of the length that its libraries generate. */
export const newDeliverySecret = () => `whsec_${btoa(String.fromCharCode(...bytes(32)))}`;
