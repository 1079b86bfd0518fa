import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { gatewayRoles } from '../support/gateway-roles.ts';
import { secretsKeyOf } from '../support/keyring.ts';
import { storeConfig } from '../support/store-config.ts';
import { forTest } from '../support/use.ts';

test('a start names the accounts whose stored settings would be refused today, and no others', async () => {
  const gateway = await forTest(startGateway({ worker: false }));
  const config = { header: 'X-Signature', event_id_header: 'X-Id' };
  const create = (account_slug: string) =>
    gateway.admin.createAccount({ provider: 'hmac', account_slug, provider_config: config });
  const [older, deleted] = [await create('older'), await create('deleted')];
  await create('good');
  for (const { id } of [older, deleted]) await storeConfig(gateway, id, { ...config, signed: '{id}.{body}' });
  await gateway.admin.request('DELETE', `/admin/accounts/${deleted.id}`);

  const variables = { SECRETS_KEY: secretsKeyOf(gateway.keyring) };
  const start = async () => {
    const api = await gatewayRoles({ databaseUrl: gateway.databaseUrl, variables }).apiHere();
    await api.stop();
    const lines = api
      .stderr()
      .split('\n')
      .filter((line) => line.includes('unsafe settings'));
    return lines.map((line) => JSON.parse(line));
  };
  expect(await start()).toMatchObject([
    {
      ...{ level: 40, msg: 'unsafe settings of accounts remain in force', count: 1 },
      accounts: [{ address: 'hmac/older', path: 'provider_config.signed', message: expect.stringContaining('{id}') }],
    },
  ]);

  await gateway.admin.request('PATCH', `/admin/accounts/${older.id}`, { provider_config: { signed: '{id} {body}' } });
  expect(await start()).toEqual([]);
});
