import { v7 as uuidv7 } from 'uuid';
import type { TestGateway } from './gateway.ts';
import { secretText } from './secrets.ts';

/** The ids of new resources, by the names of path parameters. */
export type ResourceIds = Record<
  | 'account_id'
  | 'consumer'
  | 'destination_id'
  | 'event_id'
  | 'incident_id'
  | 'job_id'
  | 'name'
  | 'rejected_id'
  | 'token_id',
  string
>;

/**
 * Creates an account that delivers to `deliveryUrl`, a destination at the same URL, and an event that waits for its first
 * attempt, an incident, a bulk job, a token, and a consumer that gets no webhooks. `name` is a maintenance task. A running backup is marked as failed, so that one can be
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
  const signed = await gateway.admin.createAccount({
    ...{ provider: 'github', skip_signature_verification: false, signing_secret_current: secretText('signed-secret') },
  });
  await gateway.send(signed, '{}', { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` });
  const rejected = await gateway.admin.request('GET', `/admin/events?account_slug=${signed.account_slug}`);
  const job = await gateway.admin.post('/admin/events/bulk', {
    ...{ action: 'ack', filter: { account_slug: account.account_slug } },
  });
  const token = await gateway.admin.post('/admin/tokens', { name: `made-${uuidv7()}`, role: 'read' });
  const made = [consumer, destination, token].every(({ status }) => status === 201);
  if (!made || received.status !== 202 || job.status !== 202)
    throw new Error(
      `no resources: ${JSON.stringify([consumer.body, destination.body, received.body, job.body, token.status])}`,
    );
  const incidentId = uuidv7();
  await gateway.database.pool.query(
    `insert into incidents (id, kind, account_id, cause, first_seen_at, last_seen_at, attempts)
     values ($1, 'delivery', $2, '500', now(), now(), 5)`,
    [incidentId, account.id],
  );
  return {
    ...{ account_id: account.id, destination_id: destination.body.id, event_id: received.body.id },
    ...{
      token_id: token.body.id,
      rejected_id: rejected.body[0].id,
      incident_id: incidentId,
      job_id: job.body.id,
      name: 'retention',
      consumer: consumer.body.name,
    },
  };
}
