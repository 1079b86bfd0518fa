import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { secretText } from '../support/secrets.ts';
import { forTest } from '../support/use.ts';

test.each(['accepted', 'rejected'])('an admin token in the header of a webhook that is %s is masked', async (how) => {
  const gateway = await forTest(startGateway({ worker: false }));
  const account = await gateway.admin.createAccount({
    skip_signature_verification: how === 'accepted',
    signing_secret_current: secretText('signing'),
  });
  const sent = await gateway.send(account, '{"id":"one"}', { 'X-Admin-Token': gateway.adminToken });
  expect(sent.status).toBe(how === 'accepted' ? 202 : 401);
  const [item] = (await gateway.admin.request('GET', '/admin/events')).body;
  const event = await gateway.admin.event(item.id);
  expect(JSON.stringify(event)).not.toContain(gateway.adminToken);
  expect(new Headers(event.headers).get('x-admin-token')).toBe('[masked]');
});
