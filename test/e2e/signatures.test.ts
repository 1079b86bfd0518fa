import { createPublicKey, verify } from 'node:crypto';
import { Webhook as Svix } from 'svix';
import { describe, expect, test } from 'vitest';
import {
  accepts,
  acceptsKey,
  hoursAhead,
  type OutboundSecret,
  outboundSecrets,
  ownerOf,
  signaturesIn,
} from '../consumers/rotating.ts';
import type { Reply } from '../support/consumer.ts';
import { instantDelaysMs } from '../support/gateway.ts';
import { secretText, secretWhsec } from '../support/secrets.ts';
import { useStage } from '../support/situations.ts';

// What deliveries are signed with (docs/consumers.md): in an api that delivers, and by workflows alone.

const [old, next] = [secretWhsec('signs-old'), secretWhsec('signs-next')];

describe.each([['an api'], ['workflows']])('with first attempts by %s', (by) => {
  const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers: by === 'an api' });

  async function receiverOf(field: OutboundSecret, secret: string | null, ...replies: Reply[]) {
    const receiver = await stage.consumer(...replies);
    const owner = await ownerOf(stage.gateway, field, secret, receiver.url);
    let webhooks = 0;
    const sent = async () => {
      const { body } = await stage.gateway.send(owner.account, `{"id":${++webhooks},"text":"ü"}`);
      return stage.gateway.admin.eventually(body.id, (event) => event.delivery_status !== 'pending');
    };
    return {
      ...owner,
      ...{ receiver, sent },
      /** The delivery of a new webhook. */
      async delivered() {
        const { id, delivery_status } = await sent();
        const delivery = receiver.deliveries.find(({ headers }) => headers['webhook-id'] === id);
        expect(delivery_status).toBe('delivered');
        if (!delivery) throw new Error('nothing came');
        return delivery;
      },
      /** A test delivery. */
      async tried() {
        const answer = await stage.gateway.admin.post(`/admin/accounts/${owner.account.id}/test-delivery`, {
          consumer: owner.name,
        });
        const delivery = receiver.deliveries.at(-1);
        if (delivery?.headers['x-webhook-test'] !== 'true') throw new Error('no test delivery came');
        return { answer, delivery };
      },
    };
  }

  test.each(outboundSecrets)(
    'a rotation of %s: receivers with the old and the new secret accept until the end, then only the new',
    async (field) => {
      const { delivered, tried, rotate, patch, endField } = await receiverOf(field, old);
      const before = await delivered();
      expect([signaturesIn(before).length, accepts(old, before), accepts(next, before)]).toEqual([1, true, false]);
      expect((await rotate(next)).status).toBe(200);
      for (const delivery of [await delivered(), (await tried()).delivery]) {
        const [first = '', second = ''] = signaturesIn(delivery);
        expect([accepts(old, delivery), accepts(next, delivery)]).toEqual([true, true]);
        expect(signaturesIn(delivery)).toHaveLength(2);
        const only = (signature: string) => ({
          ...delivery,
          headers: { ...delivery.headers, 'webhook-signature': signature },
        });
        expect([accepts(next, only(first)), accepts(old, only(second))]).toEqual([true, true]);
        const { headers, body } = delivery;
        const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
        for (const secret of [old, next]) expect(new Svix(secret).verify(body, given)).toBeInstanceOf(Object);
      }
      const end = Date.now() + 8_000;
      expect((await patch({ [endField]: new Date(end).toISOString() })).status).toBe(200);
      let after = await delivered();
      while (signaturesIn(after).length > 1) after = await delivered();
      expect(Date.now()).toBeGreaterThanOrEqual(end);
      expect([accepts(old, after), accepts(next, after)]).toEqual([false, true]);
      expect(signaturesIn((await tried()).delivery)).toHaveLength(1);
    },
  );

  test('a plain change replaces at once, and null as the end stops the old signature', async () => {
    const { delivered, rotate, patch, endField } = await receiverOf('secret', old);
    await patch({ secret: next });
    const plain = await delivered();
    expect([signaturesIn(plain).length, accepts(next, plain)]).toEqual([1, true]);
    await rotate(old);
    expect(signaturesIn(await delivered())).toHaveLength(2);
    await patch({ [endField]: null });
    const ended = await delivered();
    expect([signaturesIn(ended).length, accepts(old, ended)]).toEqual([1, true]);
  });

  test('attempts of a webhook that was stored before a rotation are signed with both', async () => {
    const { account, rotate, receiver } = await receiverOf('delivery_secret', old, 503, 200);
    const { post } = stage.gateway.admin;
    await post(`/admin/accounts/${account.id}/pause`);
    const { body } = await stage.gateway.send(account, '{"id":2}');
    await rotate(next, { delivery_secret_previous_expires_at: hoursAhead(1) });
    await post(`/admin/accounts/${account.id}/resume`);
    await stage.gateway.admin.eventually(body.id, (one) => one.delivery_status === 'delivered');
    expect(receiver.deliveries.map((one) => [accepts(old, one), accepts(next, one)])).toEqual([
      [true, true],
      [true, true],
    ]);
  });

  test.each(outboundSecrets)(
    'with a pair of keys in place of %s, there is one signature, of the key',
    async (field) => {
      const { delivered, tried, consumers, name } = await receiverOf(field, old);
      const { body } = await consumers.patch(name, { signature: 'ed25519' });
      const deliveries = [await delivered(), (await tried()).delivery];
      for (const delivery of deliveries) {
        expect(signaturesIn(delivery)).toEqual([expect.stringMatching(/^v1a,[A-Za-z0-9+/]{86}==$/)]);
        expect([await acceptsKey(body.public_key, delivery), accepts(old, delivery)]).toEqual([true, false]);
        expect(verifiedByNode(body.public_key, delivery)).toBe(true);
        expect(await acceptsKey(body.public_key, { ...delivery, body: Buffer.from('{}') })).toBe(false);
      }
      await consumers.patch(name, { signature: null });
      expect(accepts(old, await delivered())).toBe(true);
      const { body: second } = await consumers.patch(name, { signature: 'ed25519' });
      const later = await delivered();
      expect([await acceptsKey(second.public_key, later), await acceptsKey(body.public_key, later)]).toEqual([
        true,
        false,
      ]);
    },
  );

  test('a receiver that gets its key while the consumer is paused refuses no delivery', async () => {
    const { account, receiver, consumers } = await receiverOf('secret', old);
    await consumers.pause('billing');
    const { body: accepted } = await stage.gateway.send(account, '{"id":"paused"}');
    const { body } = await consumers.patch('billing', { signature: 'ed25519' });
    receiver.replies = [
      async (response, delivery) => response.writeHead((await acceptsKey(body.public_key, delivery)) ? 200 : 401).end(),
    ];
    await consumers.resume('billing');
    const settled = (event: { delivery_status: string }) => event.delivery_status !== 'pending';
    expect(await stage.gateway.admin.eventually(accepted.id, settled)).toMatchObject({
      ...{ delivery_status: 'delivered', attempts: 1 },
    });
  });

  test('a consumer without a secret is signed with its pair of keys', async () => {
    const { delivered, consumers, name } = await receiverOf('secret', null);
    expect(signaturesIn(await delivered())).toEqual([]);
    const { body } = await consumers.patch(name, { signature: 'ed25519' });
    expect(await acceptsKey(body.public_key, await delivered())).toBe(true);
  });

  test.each(outboundSecrets)('the previous %s and a private key are masked in answers', async (field) => {
    let known = '';
    const echo: Reply = (response) => response.writeHead(200).end(`kept ${known} kept`);
    const { sent, tried, rotate, consumers, name, stored } = await receiverOf(field, secretText('echoed-old'), echo);
    await rotate(secretText('echoed-next'));
    known = secretText('echoed-old');
    expect((await sent()).delivery_history[0].response_body).toBe('kept [masked] kept');
    expect((await tried()).answer.body.response_body).toBe('kept [masked] kept');
    await consumers.patch(name, { signature: 'ed25519' });
    known = (await stored()).settings.signatureKey;
    const masked = /^kept \[masked\]=? kept$/;
    expect((await sent()).delivery_history[0].response_body).toMatch(masked);
    expect((await tried()).answer.body.response_body).toMatch(masked);
  });

  test('settings that do not decrypt fail the attempt, and nothing is sent unsigned', async () => {
    const { sent, consumers, name, id } = await receiverOf('secret', old);
    await consumers.patch(name, { signature: 'ed25519' });
    await stage.gateway.rows(
      'update consumers set sealed_options = set_byte(sealed_options, 40, 255 - get_byte(sealed_options, 40)) where id = $1',
      [id],
    );
    const { delivery_history } = await sent();
    expect(delivery_history[0]).toMatchObject({ outcome: 'secret_unreadable', response_code: null });
  });
});

/** As in docs/consumers.md. */
function verifiedByNode(publicKey: string, { headers, body }: Parameters<typeof signaturesIn>[0] & { body: Buffer }) {
  const x = Buffer.from(publicKey.replace('whpk_', ''), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signed = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body]);
  const [signature = ''] = signaturesIn({ headers });
  return verify(null, signed, key, Buffer.from(signature.slice('v1a,'.length), 'base64'));
}
