import { expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { consumerForTest } from '../support/consumer.ts';
import { sharedServers, startWholeGateway } from '../support/gateway-all.ts';
import { gatewaysEndWithTheirTest, temporaryFolder } from '../support/gateway-process.ts';

gatewaysEndWithTheirTest();

test('a start while deliveries are paused says so, and the command that it prints resumes them', async () => {
  const dataDir = temporaryFolder();
  const servers = await sharedServers();
  const consumer = await consumerForTest();
  const first = await startWholeGateway(dataDir, servers);
  expect(first.stdout()).not.toContain('PAUSED');
  const account = await first.admin.createAccount({ delivery_url: consumer.url });
  const { body: pause } = await first.admin.post('/admin/delivery/pause', { reason: 'the shop moves' });
  await first.printed(/"msg":"deliveries are paused"/, 'stderr');
  const sent = await send(first.baseUrl, account, '{"id":"waits"}');
  expect(sent.status).toBe(202);
  expect(await first.stop('SIGTERM')).toEqual({ code: 0, signal: null });

  const second = await startWholeGateway(dataDir, servers);
  const [line = '', since, path] =
    /^ {2}Deliveries {5}PAUSED since (\S+) \(the shop moves\); resume with: curl -X POST \S+(\/admin\/\S+) .*$/m.exec(
      second.stdout(),
    ) ?? [];
  expect([since, path]).toEqual([pause.since, '/admin/delivery/resume']);
  expect(line).toContain(`-H 'X-Admin-Token: ${second.adminToken}'`);
  await second.printed(/"msg":"deliveries are paused"/, 'stderr');
  expect(consumer.deliveries).toEqual([]);
  expect((await second.admin.post(path ?? '')).body).toEqual({ paused: false, since: null, reason: null });
  await second.admin.eventually(sent.body.id, (e) => e.delivery_status === 'delivered');
  expect(consumer.deliveries).toHaveLength(1);
  await second.printed(/"msg":"deliveries are resumed"/, 'stderr');
  expect(await second.stop('SIGTERM')).toEqual({ code: 0, signal: null });
});
