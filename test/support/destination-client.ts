import { beforeEach } from 'vitest';
import { type AdminApiClient, createAdminClient } from '../../src/api/client.ts';
import type { TestGateway } from './gateway.ts';
import { secretText } from './secrets.ts';
import { useForAll } from './use.ts';
import { useGateway } from './use-gateway.ts';

type Destinations = ReturnType<AdminApiClient['accounts']>['destinations'];
export type Create = Parameters<Destinations['post']>[0];
export type Change = Parameters<ReturnType<Destinations>['patch']>[0];

export const url = 'https://ops.test/hook?a=b#c';
export const hook = {
  destination_type: 'webhook',
  name: 'Hook',
  config: { url, secret: secretText('plaintext-secret') },
} satisfies Create;
export const mail = {
  destination_type: 'email',
  name: 'Mail',
  config: { addresses: ['a@ops.example'] },
} satisfies Create;
export const chat = { destination_type: 'chat_one', name: 'Chat', config: { webhook_url: url } } satisfies Create;

/** The routes of destinations through the typed client, so that the tests cover the client too. */
export function destinationClient(gateway: TestGateway) {
  const admin = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
  const at = (account_id: string) => admin.accounts({ account_id }).destinations;
  return {
    admin,
    at,
    async newAccount(): Promise<string> {
      const { id } = await gateway.admin.createAccount({});
      return id;
    },
    async create(account_id: string, body: Create) {
      const { data, error } = await at(account_id).post(body);
      if (error) throw new Error(JSON.stringify(error.value));
      return data;
    },
    async listed(account_id: string) {
      const { data, error } = await at(account_id).get();
      if (error) throw new Error(JSON.stringify(error.value));
      return data;
    },
    patch: (account_id: string, destination_id: string, change: Change) =>
      at(account_id)({ destination_id }).patch(change),
  };
}

/**
 * Starts one gateway for a test file and creates a new account before each test. Call it once at the top of the file,
 * and read its properties in tests and hooks only: they are set by hooks.
 */
export function setUpDestinations() {
  const gateway = useGateway({ worker: false });
  const client = useForAll(() => destinationClient(gateway));
  const setup = { gateway, client, account_id: '' };
  beforeEach(async () => {
    setup.account_id = await client.newAccount();
  });
  return setup;
}
