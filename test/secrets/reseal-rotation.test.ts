import { expect, test } from 'vitest';
import { accepts, acceptsKey, outboundSecrets, ownerOf, signaturesIn } from '../consumers/rotating.ts';
import { consumerForTest } from '../support/consumer.ts';
import { randomKeyring } from '../support/keyring.ts';
import { secretWhsec } from '../support/secrets.ts';
import { both, change, columnsSealedWith, gatewayWith, nothing } from './resealing.ts';

test('during a rotation, reseal keeps the new and the previous secret, and the pairs of keys', async () => {
  const next = randomKeyring();
  const gateway = await gatewayWith();
  const receiver = await consumerForTest();
  const [a, b] = [secretWhsec('reseal-a'), secretWhsec('reseal-b')];
  const owners: Awaited<ReturnType<typeof ownerOf>>[] = [];
  for (const field of outboundSecrets) owners.push(await ownerOf(gateway, field, a, receiver.url));
  for (const owner of owners) expect((await owner.rotate(b)).status).toBe(200);
  const withKeys = await ownerOf(gateway, 'secret', null, receiver.url);
  const { public_key: publicKey } = (await withKeys.consumers.patch('billing', { signature: 'ed25519' })).body;

  expect(await change(gateway, both(next, gateway.keyring))).toMatchObject({ blocked: null, unreadable: [] });
  expect(nothing(await columnsSealedWith(gateway, gateway.keyring))).toEqual([]);

  const later = await gatewayWith({ databaseUrl: gateway.databaseUrl, keyring: next });
  const tried = async ({ account, name }: (typeof owners)[number]) => {
    const answer = await later.admin.post(`/admin/accounts/${account.id}/test-delivery`, { consumer: name });
    const delivery = receiver.deliveries.at(-1);
    if (answer.status !== 200 || !delivery) throw new Error(JSON.stringify(answer.body));
    return delivery;
  };
  for (const owner of owners) {
    const delivery = await tried(owner);
    expect([signaturesIn(delivery).length, accepts(a, delivery), accepts(b, delivery)]).toEqual([2, true, true]);
  }
  expect(await acceptsKey(publicKey, await tried(withKeys))).toBe(true);
});
