import { expect, test } from 'vitest';
import { secretFields } from '../../src/accounts/account-entity.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { entriesOf } from '../support/audit.ts';
import { secretText } from '../support/secrets.ts';
import { everythingStored } from '../support/stored.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });

const stored = async (id: string) => (await gateway.rows('select * from accounts where id = $1', [id]))[0] ?? {};
const all = (value: string | null) => Object.fromEntries(secretFields.map((field) => [field, value]));

test('secrets are never shown', async () => {
  const created = await gateway.admin.createAccount(all(secretText('plaintext-of-a-secret')));
  const { status, body: patched } = await gateway.admin.request('PATCH', `/admin/accounts/${created.id}`, {
    signing_secret_previous: secretText('plaintext-of-another'),
  });
  expect(status).toBe(200);
  const { body: got } = await gateway.admin.request('GET', `/admin/accounts/${created.id}`);
  const { body: listed } = await gateway.admin.request('GET', '/admin/accounts');
  expect(listed.map((account: { id: string }) => account.id)).toContain(created.id);
  expect(JSON.stringify([created, patched, got, listed])).not.toContain('plaintext-of');
  for (const field of secretFields) {
    expect(got).not.toHaveProperty(field);
    expect(got[`has_${field}`]).toBe(true);
  }
});

test('secrets are encrypted, equal ones differently, and decrypt for their own account and field only', async () => {
  const secret = secretText('plaintext-at-rest');
  const [one, two] = [await gateway.admin.createAccount(all(secret)), await gateway.admin.createAccount(all(secret))];
  expect(await everythingStored(gateway.database)).not.toContain(secret);
  const box = createSecretBox(gateway.keyring);
  const places = [one.id, two.id].flatMap((accountId) => secretFields.map((field) => ({ accountId, field })));
  const boxes = await Promise.all(places.map(async ({ accountId, field }) => (await stored(accountId))[field]));
  expect(new Set(boxes.map((bytes) => bytes.toString('hex'))).size).toBe(places.length);
  places.forEach((place, at) => {
    for (const other of places) expect(box.open(boxes[at], other)).toBe(other === place ? secret : null);
  });
});

test('null and empty text clear a secret', async () => {
  const account = await gateway.admin.createAccount(all(secretText('set')));
  for (const nothing of [null, '']) {
    await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, all(secretText('set-again')));
    const { body } = await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, all(nothing));
    const row = await stored(account.id);
    for (const field of secretFields) expect([body[`has_${field}`], row[field]]).toEqual([false, null]);
  }
  const empty = await gateway.admin.createAccount(all(''));
  for (const field of secretFields) expect(empty[`has_${field}`]).toBe(false);
});

test('a change of another field leaves the stored secret as it is', async () => {
  const account = await gateway.admin.createAccount(all(secretText('kept')));
  const before = await stored(account.id);
  await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, { org_id: 'changed', delivery_secret: 'new' });
  const after = await stored(account.id);
  expect(after.org_id).toBe('changed');
  for (const field of secretFields) expect(after[field].equals(before[field])).toBe(field !== 'delivery_secret');
});

test('a secret that is set through an id in capital letters decrypts', async () => {
  const account = await gateway.admin.createAccount({ skip_signature_verification: false });
  const path = `/admin/accounts/${account.id.toUpperCase()}`;
  const { status, body } = await gateway.admin.request('PATCH', path, {
    signing_secret_current: secretText('by-capitals'),
  });
  expect([status, body.id]).toEqual([200, account.id]);
  expect((await gateway.send(account, 'x', { 'x-secret': secretText('by-capitals') })).status).toBe(202);
  expect(await entriesOf(gateway.database, account.id, 'account.update')).toHaveLength(1);
});

test.each(['x'.repeat(1000), 'ключ 🔑', ' spaces ', "quo'te", 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])(
  'the secret %j decrypts unchanged',
  async (secret) => {
    const { id } = await gateway.admin.createAccount({ delivery_secret: secret });
    const opened = createSecretBox(gateway.keyring).open((await stored(id)).delivery_secret, {
      ...{ accountId: id, field: 'delivery_secret' },
    });
    expect(opened).toBe(secret);
  },
);

test('a secret of more than 1,000 characters is 422, and the answer does not repeat it', async () => {
  const secret = 'unrepeated'.repeat(101);
  const fields = { provider: 'generic', account_slug: 'long', app_key: 'a', signing_secret_current: secret };
  const answer = await gateway.admin.post('/admin/accounts', fields);
  expect(answer).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'signing_secret_current', message: 'must have 1000 characters or fewer' }] },
  });
  expect(JSON.stringify(answer.body)).not.toContain('unrepeated');
});
