import { expect, test } from 'vitest';
import { hoursAhead } from '../consumers/rotating.ts';
import { entriesOf } from '../support/audit.ts';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';

// The rotation of several secrets of an account in one call (docs/admin-api.md).

const gateway = useGateway({ worker: false });

const [a, b, c] = [secretText('together-a'), secretText('together-b'), secretText('together-c')];
const refused = (path: string, message: RegExp) => ({
  status: 422,
  body: { code: 'invalid', errors: [{ path, message: expect.stringMatching(message) }] },
});

test('the secrets of an account are rotated together, each with its own end', async () => {
  const { id } = await gateway.admin.createAccount({
    ...{ signing_secret_current: a, delivery_secret: a, project_delivery_secret: b },
  });
  const patch = (change: object) => gateway.admin.request('PATCH', `/admin/accounts/${id}`, change);
  const end = hoursAhead(2);
  const both = { delivery_secret: c, project_delivery_secret: c, project_delivery_secret_previous_expires_at: end };
  const { status, body } = await patch({ ...both, signing_secret_current: b, rotate: true });
  expect([status, body.has_signing_secret_previous]).toEqual([200, true]);
  expect(Date.parse(body.delivery_secret_previous_expires_at)).toBeGreaterThan(Date.parse(end));
  expect(body.project_delivery_secret_previous_expires_at).toBe(end);
  const [entry] = await entriesOf(gateway.database, id, 'account.update');
  expect(entry?.details.changed).toEqual([
    ...['signing_secret_current', 'delivery_secret', 'project_delivery_secret', 'signing_secret_previous'],
    ...['delivery_secret_previous_expires_at', 'project_delivery_secret_previous_expires_at'],
  ]);
  const again = { delivery_secret: a, project_delivery_secret: a, signing_secret_current: c, rotate: true };
  expect(await patch(again)).toMatchObject({
    status: 409,
    body: {
      errors: [
        { path: 'signing_secret_previous' },
        { path: 'delivery_secret_previous_expires_at' },
        { path: 'project_delivery_secret_previous_expires_at' },
      ],
    },
  });
  // A plain change drops the previous one of its own field alone.
  const plain = await patch({ delivery_secret: a });
  expect(plain.body).toMatchObject({
    ...{ delivery_secret_previous_expires_at: null, project_delivery_secret_previous_expires_at: end },
  });
});

test('rotate without a new secret names those that it is for, and does not rotate what is not sent', async () => {
  const { id } = await gateway.admin.createAccount({ signing_secret_current: a, delivery_secret: a });
  const patch = (change: object) => gateway.admin.request('PATCH', `/admin/accounts/${id}`, change);
  expect(await patch({ rotate: true })).toMatchObject(
    refused('rotate', /send signing_secret_current, or delivery_secret, or project_delivery_secret/),
  );
  expect((await patch({ delivery_secret: b, rotate: true })).body).toMatchObject({
    has_signing_secret_previous: false,
  });
  expect((await patch({ signing_secret_current: b, rotate: true })).status).toBe(200);
});
