import { expect, test } from 'vitest';
import { entriesOf } from '../support/audit.ts';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';

// Changes of an account on the condition that it was not changed since it was read (docs/admin-api.md).

const gateway = useGateway({ worker: false });

const [a, b, c] = [secretText('first'), secretText('second'), secretText('third')];

/** An account with the secret `a` for webhooks and for deliveries. */
async function newAccount() {
  const account = await gateway.admin.createAccount({
    ...{ skip_signature_verification: false, signing_secret_current: a, delivery_secret: a },
  });
  const patch = (change: object) => gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, change);
  const webhook = async (signedWith: string) =>
    (await gateway.send(account, '{}', { 'x-webhook-secret': signedWith })).status;
  return { account, patch, webhook };
}

test('the removal of a previous secret that is repeated after the next rotation is 409, and drops nothing', async () => {
  const { patch, webhook } = await newAccount();
  const first = await patch({ signing_secret_current: b, rotate: true });
  const removal = { signing_secret_previous: null, if_updated_at: first.body.updated_at };
  expect(await patch(removal)).toMatchObject({ status: 200, body: { has_signing_secret_previous: false } });
  const second = await patch({ signing_secret_current: c, rotate: true });
  expect(await patch(removal)).toMatchObject({
    status: 409,
    body: { code: 'conflict', detail: expect.stringContaining(second.body.updated_at) },
  });
  expect([await webhook(b), await webhook(c)]).toEqual([202, 202]);
  expect(await patch({ ...removal, if_updated_at: second.body.updated_at })).toMatchObject({
    status: 200,
    body: { has_signing_secret_previous: false },
  });
});

test('the same holds for the end of a previous delivery secret', async () => {
  const { patch } = await newAccount();
  const first = await patch({ delivery_secret: b, rotate: true });
  const end = { delivery_secret_previous_expires_at: null, if_updated_at: first.body.updated_at };
  expect((await patch(end)).status).toBe(200);
  const second = await patch({ delivery_secret: c, rotate: true });
  expect((await patch(end)).status).toBe(409);
  expect((await patch({ ...end, if_updated_at: second.body.updated_at })).status).toBe(200);
});

test('each change has a later updated_at than the one before, also when the clock is behind', async () => {
  const { account, patch } = await newAccount();
  const ahead = '2999-01-01T00:00:00.000Z';
  await gateway.rows('update accounts set updated_at = $2 where id = $1', [account.id, ahead]);
  expect(await patch({ org_id: 'moved', if_updated_at: ahead })).toMatchObject({
    ...{ status: 200, body: { org_id: 'moved', updated_at: '2999-01-01T00:00:00.001Z' } },
  });
  expect((await patch({ org_id: 'again', if_updated_at: ahead })).status).toBe(409);
});

test('if_updated_at must be a time, and is not named as a changed field', async () => {
  const { account, patch } = await newAccount();
  expect(await patch({ if_updated_at: 'now' })).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'if_updated_at', message: expect.stringContaining('ISO 8601') }] },
  });
  await patch({ org_id: 'moved', if_updated_at: account.updated_at });
  const entries = await entriesOf(gateway.database, account.id, 'account.update');
  expect(entries.map(({ details }) => details.changed)).toEqual([undefined, ['org_id']]);
});
