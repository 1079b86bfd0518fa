import type { TestGateway } from './gateway.ts';

/** The ids of new resources, by the names of path parameters. */
export type ResourceIds = Record<'account_id' | 'consumer' | 'destination_id' | 'event_id' | 'job_id' | 'name', string>;

/**
 * Creates an account that delivers to `deliveryUrl`, a destination at the same URL, and an event that waits for its first
 * attempt, a bulk job, and a consumer that gets no webhooks. `name` is a maintenance task. A running backup is marked as failed, so that one can be
 * triggered, and earlier bulk jobs as stopped, because only a few may run.
 */
export async function createResources(gateway: TestGateway, deliveryUrl: string): Promise<ResourceIds> {
  await gateway.database.pool.query(`update backups set status = 'failed' where status = 'running'`);
  await gateway.database.pool.query(`update bulk_jobs set state = 'stopped', ended_at = now() where ended_at is null`);
  const account = await gateway.admin.createAccount({ delivery_url: deliveryUrl });
  const consumer = await gateway.admin.post(`/admin/accounts/${account.id}/consumers`, {
    ...{ name: 'quiet-one', url: deliveryUrl, condition: 'event_type == "none"' },
  });
  const destination = await gateway.admin.post(`/admin/accounts/${account.id}/destinations`, {
    destination_type: 'webhook',
    name: 'On-call',
    config: { url: deliveryUrl },
  });
  const received = await gateway.send(account, '{"id":"1","type":"order.paid"}');
  const job = await gateway.admin.post('/admin/events/bulk', {
    ...{ action: 'ack', filter: { account_slug: account.account_slug } },
  });
  const made = [consumer, destination].every(({ status }) => status === 201);
  if (!made || received.status !== 202 || job.status !== 202)
    throw new Error(`no resources: ${JSON.stringify([consumer.body, destination.body, received.body, job.body])}`);
  return {
    ...{ account_id: account.id, destination_id: destination.body.id, event_id: received.body.id },
    ...{ job_id: job.body.id, name: 'retention', consumer: consumer.body.name },
  };
}
