import { expect, test } from 'vitest';
import { entriesOf } from '../support/audit.ts';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';
import { outboundSecrets, ownerOf } from './rotating.ts';

// A pair of keys of Ed25519 that signs the deliveries to a consumer: what is shown, stored and refused.

const gateway = useGateway({ worker: false });

const [a, b] = [secretText('with-keys-a'), secretText('with-keys-b')];
const publicKey = expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/);

test.each(outboundSecrets)(
  'is made and shown beside %s, stays when it is set again, and is new after null',
  async (field) => {
    const { consumers, name, stored } = await ownerOf(gateway, field, a);
    expect((await consumers.get(name)).body).toMatchObject({ signature: null, public_key: null });
    const { body: first } = await consumers.patch(name, { signature: 'ed25519' });
    expect(first).toMatchObject({ signature: 'ed25519', public_key: publicKey, has_secret: true });
    expect((await consumers.patch(name, { signature: 'ed25519', timeout: '30s' })).body.public_key).toBe(
      first.public_key,
    );
    expect((await consumers.patch(name, { enabled: false })).body.public_key).toBe(first.public_key);
    expect((await consumers.list()).body.find((one: { name: string }) => one.name === name)).toMatchObject({
      ...{ signature: 'ed25519', public_key: first.public_key },
    });
    const { settings } = await stored();
    expect(JSON.stringify((await consumers.list()).body)).not.toContain(settings.signatureKey);
    expect((await consumers.patch(name, { signature: null })).body).toMatchObject({
      signature: null,
      public_key: null,
    });
    expect((await stored()).settings).toEqual({});
    const { body: second } = await consumers.patch(name, { signature: 'ed25519' });
    expect(second.public_key).toEqual(publicKey);
    expect(second.public_key).not.toBe(first.public_key);
  },
);

test('each consumer has a pair of its own, also one that is created with it', async () => {
  const { consumers } = await ownerOf(gateway, 'secret', null);
  const made = [];
  for (const name of ['one', 'two']) made.push(await consumers.made(name, { signature: 'ed25519' }));
  expect(made).toEqual([expect.objectContaining({ public_key: publicKey, has_secret: false }), expect.anything()]);
  expect(new Set(made.map(({ public_key }) => public_key)).size).toBe(2);
  await consumers.delete('one');
  expect((await consumers.made('one', { signature: 'ed25519' })).public_key).not.toBe(made[0].public_key);
});

test('the audit log names the field', async () => {
  const { account, consumers } = await ownerOf(gateway, 'secret', null);
  await consumers.patch('billing', { signature: 'ed25519' });
  const [entry] = await entriesOf(gateway.database, account.id, 'consumer.update');
  expect(entry?.details.changed).toEqual(['signature']);
});

test.each(outboundSecrets)('a rotation of %s is refused while it signs, and a plain change is not', async (field) => {
  const owner = await ownerOf(gateway, field, a);
  await owner.consumers.patch(owner.name, { signature: 'ed25519' });
  expect(await owner.rotate(b)).toMatchObject({
    status: 422,
    body: {
      errors: [
        {
          path: 'rotate',
          message: expect.stringMatching(/ed25519.*without rotate, or set signature of the consumer to null/),
        },
      ],
    },
  });
  expect((await owner.stored()).current).toBe(a);
  expect((await owner.patch({ [field]: b })).status).toBe(200);
  expect(await owner.stored()).toEqual({ current: b, settings: { signatureKey: expect.any(String) } });
});

test.each(outboundSecrets)('drops a previous %s', async (field) => {
  const owner = await ownerOf(gateway, field, a);
  await owner.rotate(b);
  await owner.consumers.patch(owner.name, { signature: 'ed25519' });
  expect([await owner.end(), await owner.previous()]).toEqual([null, undefined]);
  await owner.consumers.patch(owner.name, { signature: null });
  expect(await owner.stored()).toEqual({ current: b, settings: {} });
});

test('another value is refused', async () => {
  const { consumers } = await ownerOf(gateway, 'secret', a);
  for (const signature of ['rsa', '', true, 'Ed25519'])
    expect(await consumers.patch('billing', { signature })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'signature', message: 'must be one of: ed25519' }] },
    });
});

test('settings that do not decrypt are shown as such', async () => {
  const { consumers, id } = await ownerOf(gateway, 'secret', a);
  await consumers.patch('billing', { signature: 'ed25519' });
  await gateway.rows(
    'update consumers set sealed_options = set_byte(sealed_options, 40, 255 - get_byte(sealed_options, 40)) where id = $1',
    [id],
  );
  expect((await consumers.get('billing')).body).toMatchObject({ signature: 'unreadable', public_key: null });
  expect((await consumers.patch('billing', { enabled: true })).body).toMatchObject({ signature: 'unreadable' });
  expect((await consumers.patch('billing', { signature: 'ed25519' })).body).toMatchObject({ public_key: publicKey });
});
