import { expect, test } from 'vitest';
import { auditTrail } from '../support/audit-trail.ts';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';
import { consumersOf, iso } from './support.ts';

const gateway = useGateway({ worker: false });

test('each change of a consumer has one entry, with its id and without values', async () => {
  const account = await gateway.admin.createAccount({});
  const consumers = consumersOf(gateway, account.id);
  const entries = auditTrail(gateway.database);
  await entries();
  const expectEntry = async (action: string, details: Record<string, unknown>) => {
    const found = await entries();
    expect(found.map((entry) => ({ action: entry.action, details: entry.details }))).toEqual([
      { action, details: { account_id: account.id, ...details } },
    ]);
    expect(JSON.stringify(found)).not.toContain(secretText('of-'));
  };
  const secrets = { url: `https://user:${secretText('of-url')}@a.test`, secret: secretText('of-consumer') };
  const { id } = await consumers.made('billing', secrets);
  const own = { consumer: 'billing', consumer_id: id };
  await expectEntry('consumer.create', { ...own, status: 201 });
  await consumers.patch('billing', { ...secrets, condition: 'exists(payload)' });
  await expectEntry('consumer.update', { ...own, status: 200, changed: ['url', 'secret', 'condition'] });
  await consumers.patch('default', { enabled: false });
  await expectEntry('consumer.update', {
    ...{ consumer: 'default', consumer_id: account.id, status: 200, changed: ['enabled'] },
  });
  await consumers.pause('billing', { reason: 'moves' });
  await expectEntry('consumer.pause', { ...own, status: 200, since: iso, reason: 'moves' });
  await consumers.resume('billing');
  await expectEntry('consumer.resume', { ...own, status: 200 });
  await gateway.admin.post(`/admin/accounts/${account.id}/pause`);
  await expectEntry('account.pause', { status: 200, since: iso, reason: null });
  await gateway.admin.post(`/admin/accounts/${account.id}/resume`);
  await expectEntry('account.resume', { status: 200 });
  await consumers.post({ name: 'billing', ...secrets });
  await expectEntry('consumer.create', { status: 422, code: 'invalid' });
  await consumers.delete('default');
  await expectEntry('consumer.delete', { consumer: 'default', status: 409, code: 'conflict' });
  await consumers.delete('billing');
  await expectEntry('consumer.delete', { ...own, status: 204 });
});
