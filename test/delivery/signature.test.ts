import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { signDelivery } from '../../src/delivery/signature.ts';

const nowS = Math.floor(Date.now() / 1000);
const key = fc.uint8Array({ minLength: 1, maxLength: 64 });
const id = fc.stringMatching(/^[\w-]{1,40}$/);

test('the test vector of the Standard Webhooks libraries gives the expected signature', () => {
  const signature = signDelivery({
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampS: 1614265330,
    body: Buffer.from('{"test": 2432232314}'),
  });
  expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('signatures equal those of the standardwebhooks package, which verifies them', () => {
  fc.assert(
    fc.property(key, id, fc.string({ unit: 'grapheme' }), (bytes, id, text) => {
      const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;
      const signature = signDelivery({ secret, id, timestampS: nowS, body: Buffer.from(text) });
      const theirs = new Webhook(secret);
      expect(signature).toBe(theirs.sign(id, new Date(nowS * 1000), text));
      const headers = { 'webhook-id': id, 'webhook-timestamp': String(nowS), 'webhook-signature': signature };
      theirs.verify(text, headers, { jsonParse: false });
    }),
  );
});

test('a secret without the prefix whsec_ is used as UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), id, (secret, id) => {
      fc.pre(!secret.startsWith('whsec_'));
      const theirs = new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' });
      expect(signDelivery({ secret, id, timestampS: nowS, body: Buffer.from('x') })).toBe(
        theirs.sign(id, new Date(nowS * 1000), 'x'),
      );
    }),
  );
});

test.each(['whsec_', 'whsec_not base64!', 'whsec_abcde', 'whsec_ab=c', ''])(
  'the secret %j is used as text and does not throw',
  (secret) => {
    const signature = signDelivery({ secret, id: 'a', timestampS: 1, body: Buffer.from('x') });
    const asText =
      secret === '' ? null : new Webhook(Buffer.from(secret), { format: 'raw' }).sign('a', new Date(1000), 'x');
    expect(signature).toMatch(/^v1,[\w+/]{43}=$/);
    if (asText) expect(signature).toBe(asText);
  },
);

test('the base64 of a secret may lack its padding', () => {
  const sign = (secret: string) => signDelivery({ secret, id: 'a', timestampS: 1, body: Buffer.from('x') });
  expect(sign('whsec_YWI')).toBe(sign('whsec_YWI='));
});
