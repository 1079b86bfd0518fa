import type { Target } from '../load/webhooks.ts';
import { adminToken, createAccount } from '../processes.ts';

/** Where webhooks of an account are sent, and its address in the admin API. */
export type Account = Target & { adminUrl: string };

/** What scenarios ask the admin API for. Anything but a success throws. */
export interface AdminCalls {
  /** Creates an account whose events are delivered to the consumer. `query` says how it answers: see consumer/main.ts. */
  account(query?: string): Promise<Account>;
  /** Adds a consumer to an account. Its deliveries are counted under its name. */
  addConsumer(account: Account, name: string): Promise<void>;
  admin(method: string, path: string): Promise<void>;
}

const secret = 'bench-delivery-secret';

export const adminCalls = (gatewayUrl: string, consumerUrl: string): AdminCalls => ({
  account: (query = '') => createAccount(gatewayUrl, { delivery_url: consumerUrl + query, delivery_secret: secret }),
  addConsumer: ({ adminUrl }, name) =>
    call('POST', `${adminUrl}/consumers`, { name, url: `${consumerUrl}?consumer=${name}`, secret }),
  admin: (method, path) => call(method, gatewayUrl + path),
});

async function call(method: string, url: string, body?: object): Promise<void> {
  const headers = { 'x-admin-token': adminToken, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}
