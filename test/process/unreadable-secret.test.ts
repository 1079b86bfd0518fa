import { expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { scraped, sumOf } from './metrics/exposition.ts';

gatewaysEndWithTheirTest();

const rightSecret = secretText('right');
const previousSecret = secretText('previous');

test('a stored secret that cannot be decrypted is a reason of its own in event, metric and log', async () => {
  const roles = await migratedRoles({});
  const api = await roles.apiHere();
  /** An account with one encrypted column damaged, as after a repair of the database by hand. */
  const accountWith = async (column: string, fields: Record<string, unknown>) => {
    const account = await api.admin.createAccount({ skip_signature_verification: false, ...fields });
    const damaged = `set_byte(${column}, 40, 255 - get_byte(${column}, 40))`;
    await roles.query(`update accounts set ${column} = ${damaged} where id = $1`, [account.id]);
    return account;
  };
  const post = async (account: { provider: string; account_slug: string }, headers: Record<string, string> = {}) =>
    (await send(api.baseUrl, account, '{"id":"one"}', headers)).status;
  const reasons = async ({ account_slug }: { account_slug: string }) => {
    const { body } = await api.admin.request('GET', `/admin/events?account_slug=${account_slug}`);
    return body.map((event: { rejection_reason: string }) => event.rejection_reason);
  };

  const only = await accountWith('signing_secret_current', { signing_secret_current: rightSecret });
  expect(await post(only, { 'x-secret': rightSecret })).toBe(401);
  expect(await reasons(only)).toEqual(['secret_unreadable']);

  // The previous secret still verifies. A webhook that it does not verify may have been signed with the current one.
  const both = { signing_secret_current: rightSecret, signing_secret_previous: previousSecret };
  const current = await accountWith('signing_secret_current', both);
  expect(await post(current, { 'x-secret': previousSecret })).toBe(202);
  expect(await post(current, { 'x-secret': rightSecret })).toBe(401);
  expect(await post(current)).toBe(401);
  expect(await reasons(current)).toEqual(['missing_signature', 'secret_unreadable', null]);

  const previous = await accountWith('signing_secret_previous', both);
  expect(await post(previous, { 'x-secret': rightSecret })).toBe(202);
  expect(await post(previous, { 'x-secret': previousSecret })).toBe(401);
  expect(await reasons(previous)).toEqual(['secret_unreadable', null]);

  const config = await accountWith('provider_config', {
    ...{ provider: 'stripe', signing_secret_current: `whsec_${rightSecret}` },
    provider_config: { tolerance_seconds: 600 },
  });
  expect(await post(config)).toBe(401);
  expect(await reasons(config)).toEqual(['secret_unreadable']);

  const none = await api.admin.createAccount({ skip_signature_verification: false });
  expect(await post(none)).toBe(401);
  expect(await reasons(none)).toEqual(['no_secret_configured']);

  const rejected = (reason: string) => `gateway_webhooks_rejected_total{reason="${reason}"}`;
  await until('the scrape shows all', async () => {
    const answers = [await scraped(api.baseUrl)];
    return (
      sumOf(answers, rejected('secret_unreadable')) === 4 && sumOf(answers, rejected('no_secret_configured')) === 1
    );
  });
  const lines = api
    .stderr()
    .split('\n')
    .filter((line) => line.includes('secret of an account unreadable'));
  // At most one a minute, so that a flood cannot fill the log.
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 40, accountId: only.id, provider: 'generic', accountSlug: only.account_slug }),
  ]);
});
