import { expect, test } from 'vitest';
import { gaugeOf, scraped } from '../process/metrics/exposition.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { withClient } from '../support/one-connection.ts';
import { until } from '../support/until.ts';

gatewaysEndWithTheirTest();

test('gateway_feed_lag_seconds is the age of an event that an open transaction holds back, and 0 after its end', async () => {
  const roles = await migratedRoles({});
  const { admin, baseUrl } = await roles.apiHere();
  const account = await admin.createAccount({ delivery_url: 'http://127.0.0.1:9/' });
  const send = async (id: string) => {
    const body = JSON.stringify({ id });
    const { status } = await fetch(`${baseUrl}/generic/${account.account_slug}`, { method: 'POST', body });
    expect(status).toBe(202);
  };
  const inFeed = async () => (await admin.request('GET', '/admin/feed?since=1h')).body.data.length;
  /** The metric, once it is as wanted. An answer is given out again for a while, so the first ones may be older. */
  const lag = (what: string, wanted: (value: number) => boolean) =>
    until(`the metric is ${what}`, async () => {
      const value = gaugeOf(await scraped(baseUrl), 'gateway_feed_lag_seconds');
      return value !== null && wanted(value) && { value };
    });

  await send('before');
  // A transaction of another test of this server may hold it back for a moment.
  await until('the first event is in the feed', async () => (await inFeed()) === 1);
  await lag('0', (value) => value === 0);

  const sinceMs = Date.now();
  await withClient(roles.databaseUrl, async (client) => {
    await client.query('begin');
    // The feed is ordered by the numbers of transactions. This one gets a lower number than that of the webhook.
    await client.query('select pg_current_xact_id()');
    await send('held');
    const { value } = await lag('greater than 0', (now) => now > 0);
    expect(value).toBeLessThanOrEqual((Date.now() - sinceMs) / 1000);
    expect(await inFeed()).toBe(1);
    await client.query('commit');
  });
  await lag('0 again', (value) => value === 0);
  expect(await inFeed()).toBe(2);
});
