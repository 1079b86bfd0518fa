import { z } from 'zod';

/** `SECRETS_KEY`: 32 bytes in base64 or hex. */
export const secretsKey = z.string().transform((text, context) => {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (key.length === 32) return new Uint8Array(key);
  context.addIssue({
    code: 'custom',
    message: 'must be 32 bytes in base64 or hex; make one with: openssl rand -base64 32',
  });
  return z.NEVER;
});
