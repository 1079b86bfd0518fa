import { send } from './admin-client.ts';
import type { TestGateway } from './gateway.ts';

/** The ids of new resources, by the names of path parameters. */
export type ResourceIds = Record<'account_id' | 'destination_id' | 'event_id' | 'name', string>;

/**
 * Creates an account that delivers to `deliveryUrl`, a destination at the same URL, and an event that waits for its first
 * attempt. `name` is a maintenance task. A running backup is marked as failed, so that one can be triggered.
 */
export async function createResources(gateway: TestGateway, deliveryUrl: string): Promise<ResourceIds> {
  await gateway.database.pool.query(`update backups set status = 'failed' where status = 'running'`);
  const account = await gateway.admin.createAccount({ delivery_url: deliveryUrl });
  const destination = await gateway.admin.post(`/admin/accounts/${account.id}/destinations`, {
    destination_type: 'webhook',
    name: 'On-call',
    config: { url: deliveryUrl },
  });
  const received = await send(gateway.baseUrl, account, '{"id":"1","type":"order.paid"}');
  if (destination.status !== 201 || received.status !== 202)
    throw new Error(`no resources: ${JSON.stringify([destination.body, received.body])}`);
  return { account_id: account.id, destination_id: destination.body.id, event_id: received.body.id, name: 'retention' };
}
