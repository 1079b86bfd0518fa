import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { stripe } from '../../src/providers/stripe.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { receivedAt, requestOf } from './request.ts';

const now = Math.floor(receivedAt.getTime() / 1000);

function verdict(secret: string) {
  const signature = createHmac('sha256', secret).update(`${now}.{}`).digest('hex');
  const request = requestOf({ headers: [['Stripe-Signature', `t=${now},v1=${signature}`]], body: '{}' });
  const settings = { skip: false, current: secret, previous: null, config: { tolerance_seconds: 300 } };
  return verifyInbound(stripe, settings, request);
}

describe('secrets', () => {
  test.each([`whsec_${'aB3'.repeat(11)}`, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', `whsec_${'0af'.repeat(22)}`])(
    '%s is a valid secret',
    (secret) => {
      expect(stripe.secret.problem?.(secret)).toBe(null);
      expect(verdict(secret)).toEqual({ ok: true });
    },
  );

  test.each(['whsec_', 'whsec_…', 'whsec_short', 'whsec_0123456789abcdef\n', '"whsec_0123456789abcdef"', 'sk_live_1'])(
    '%j is refused as a secret, even if the signature matches',
    (secret) => {
      expect(stripe.secret.problem?.(secret)).toMatch(/^must /);
      expect(verdict(secret)).toEqual({ ok: false, reason: 'unusable_secret' });
    },
  );
});
