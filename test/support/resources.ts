import { send } from './admin-client.ts';
import type { TestGateway } from './gateway.ts';

/** Fresh things to act on, by the names of the path parameters that name them. */
export type ActedOn = Record<'account_id' | 'destination_id' | 'event_id' | 'name', string>;

/**
 * Makes an account that delivers to `deliveryUrl`, with a destination there, too, and an event that waits for its first
 * attempt. `name` is a maintenance task, and no backup is under way.
 */
export async function somethingToActOn(gateway: TestGateway, deliveryUrl: string): Promise<ActedOn> {
  await gateway.database.pool.query(`update backups set status = 'failed' where status = 'running'`);
  const account = await gateway.admin.createAccount({ delivery_url: deliveryUrl });
  const destination = await gateway.admin.post(`/admin/accounts/${account.id}/destinations`, {
    destination_type: 'webhook',
    name: 'On-call',
    config: { url: deliveryUrl },
  });
  const received = await send(gateway.baseUrl, account, '{"id":"1","type":"order.paid"}');
  if (destination.status !== 201 || received.status !== 202)
    throw new Error(`nothing to act on: ${JSON.stringify([destination.body, received.body])}`);
  return { account_id: account.id, destination_id: destination.body.id, event_id: received.body.id, name: 'retention' };
}
