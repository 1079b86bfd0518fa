import { getPublicKeyAsync, verifyAsync } from '@noble/ed25519';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { newSignatureKey, publicKeyOf } from '../../src/accounts/signature-key.ts';
import { signaturesOf, signDelivery } from '../../src/delivery/signature.ts';

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

describe('the value of the header', () => {
  const at = new Date('2026-11-20T10:00:00.000Z');
  const signed = { id: 'evt', timestampS: 1_795_000_000, body: Buffer.from('x') };
  const of = (secret: string) => signDelivery({ secret, ...signed });
  const withPrevious = (expiresAt: string) =>
    signaturesOf({ secret: 'new', previous: { secret: 'old', expiresAt } }, signed, at);

  test('is that of the secret, of the new and then of the previous one, or absent', () => {
    expect(signaturesOf(null, signed, at)).toBe(null);
    expect(signaturesOf({ secret: 'new', previous: null }, signed, at)).toBe(of('new'));
    expect(withPrevious('2026-11-20T10:00:00.001Z')).toBe(`${of('new')} ${of('old')}`);
  });

  test('is that of the new secret from the end of the previous one on', () => {
    expect(withPrevious('2026-11-20T10:00:00.000Z')).toBe(of('new'));
    expect(withPrevious('2026-11-20T09:59:59.999Z')).toBe(of('new'));
  });

  test('with a key of Ed25519, another implementation verifies it, and derives the same public key', async () => {
    const bodies = fc.sample(fc.uint8Array({ maxLength: 200 }), 20);
    for (const body of bodies) {
      const key = newSignatureKey();
      const signature = signaturesOf({ key }, { ...signed, body: Buffer.from(body) }, at) ?? '';
      const publicKey = await getPublicKeyAsync(Buffer.from(key, 'base64'));
      expect(publicKeyOf(key)).toBe(`whpk_${Buffer.from(publicKey).toString('base64')}`);
      const text = Buffer.concat([Buffer.from('evt.1795000000.'), body]);
      expect(signature).toMatch(/^v1a,/);
      expect(await verifyAsync(Buffer.from(signature.slice(4), 'base64'), text, publicKey)).toBe(true);
    }
  });

  test('the first test vector of RFC 8032, section 7.1, gives its public key', () => {
    const key = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
    const publicKey = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
    expect(publicKeyOf(key.toString('base64'))).toBe(`whpk_${publicKey.toString('base64')}`);
  });
});
