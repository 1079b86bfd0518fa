import { expect, onTestFinished, test } from 'vitest';
import { ownFolder } from '../faults/ground.ts';
import { send } from '../support/admin-client.ts';
import { consumerForTest } from '../support/consumer.ts';
import { startWholeGateway } from '../support/gateway-all.ts';
import { gatewaysEndWithTheirTest, temporaryFolder } from '../support/gateway-process.ts';
import { checkOutReleaseBefore } from './release-before.ts';

gatewaysEndWithTheirTest();

test('npm start of this release takes over the data folder of the release before, and that one takes it back', async () => {
  const { folder, remove } = ownFolder('gateway-upgrade-');
  onTestFinished(remove);
  const before = checkOutReleaseBefore(folder);
  const dataDir = temporaryFolder();
  const consumer = await consumerForTest();
  // The second delay is longer than the test: what waits for it is retried by hand, in the release after.
  const variables = { DELIVERY_SCHEDULE: '1s,1h,1h,1h,1h,1h,1h,1h,1h' };
  const start = (checkout?: string) => startWholeGateway(dataDir, variables, checkout);
  const delivered = (event: { delivery_status: string }) => event.delivery_status === 'delivered';

  const first = await start(before);
  const account = await first.admin.createAccount({ delivery_url: consumer.url });
  const done = await send(first.baseUrl, account, '{"id":"delivered"}');
  await first.admin.eventually(done.body.id, delivered);
  consumer.replies = [500, 500];
  const waiting = await send(first.baseUrl, account, '{"id":"waiting"}');
  await first.admin.eventually(waiting.body.id, (event) => event.attempts === 2);
  expect(await first.stop('SIGTERM')).toEqual({ code: 0, signal: null });

  consumer.replies = [200];
  const second = await start();
  expect(second.stderr()).not.toMatch(/"level":[56]0/);
  expect((await second.admin.event(done.body.id)).delivery_status).toBe('delivered');
  expect((await second.admin.post(`/admin/delivery/retry/${waiting.body.id}`)).status).toBe(202);
  const retried = await second.admin.eventually(waiting.body.id, delivered);
  expect(retried.attempts).toBe(3);
  const fresh = await send(second.baseUrl, account, '{"id":"fresh"}');
  await second.admin.eventually(fresh.body.id, delivered);
  expect(await second.stop('SIGTERM')).toEqual({ code: 0, signal: null });

  const third = await start(before);
  for (const { body } of [done, waiting, fresh])
    expect((await third.admin.event(body.id)).delivery_status).toBe('delivered');
  const last = await send(third.baseUrl, account, '{"id":"last"}');
  await third.admin.eventually(last.body.id, delivered);
});
