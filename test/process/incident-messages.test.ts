import { expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { consumerForTest } from '../support/consumer.ts';
import { migratedDatabase } from '../support/database.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { gatewayRoles } from '../support/gateway-roles.ts';
import { hang } from '../support/replies.ts';
import { addDestination } from '../support/services/notified-events.ts';
import { startReceivers } from '../support/services/receivers.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';

gatewaysEndWithTheirTest();

interface Message {
  id: string;
  name: string;
  status: string;
  attempts: number;
}

test('when a worker is killed during the message about an incident, another one sends it with the same name', async () => {
  const receivers = await forTest(startReceivers());
  const consumer = await consumerForTest(500);
  const roles = gatewayRoles({
    databaseUrl: await migratedDatabase(),
    // A claim is in force for 15 s more than a request may take.
    variables: { DELIVERY_SCHEDULE: Array(9).fill('1h').join(), DELIVERY_TIMEOUT: '10s' },
  });
  const [api, worker] = await Promise.all([roles.apiHere(), roles.startWorker()]);
  const account = await api.admin.createAccount({ delivery_url: consumer.url });
  const [webhook, , slack] = receivers.destinations;
  for (const destination of [webhook, slack])
    await addDestination(api.admin, account.id, { ...destination, kinds: ['incident.opened'] } as typeof webhook);
  receivers.hook.replies = [hang];
  for (let n = 0; n < 6; n += 1) await send(api.baseUrl, account, JSON.stringify({ id: `e${n}`, type: 'order' }));

  await until('the chat is told, and the webhook hangs', () => {
    const { hook, slack } = receivers;
    return hook.deliveries.length > 0 && slack.messages.length > 0;
  });
  const { body } = await api.admin.request('GET', `/admin/incidents?account_id=${account.id}`);
  const messages = async (): Promise<Message[]> =>
    (await api.admin.request('GET', `/admin/incidents/${body[0].id}/messages`)).body;
  await until('the chat is recorded', async () => (await messages()).some(({ status }) => status === 'sent'));
  expect(await worker.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  receivers.hook.replies = [200];

  await roles.workerHere();
  await until('both are sent', async () => (await messages()).every(({ status }) => status === 'sent'));
  const names = receivers.hook.deliveries.map(({ headers }) => headers['webhook-id']);
  expect(new Set(names).size).toBe(1);
  expect(names.length).toBeGreaterThanOrEqual(2);
  expect(receivers.slack.messages).toHaveLength(1);
  expect(receivers.complaints()).toEqual([]);
});
