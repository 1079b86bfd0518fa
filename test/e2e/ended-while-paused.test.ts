import { expect, test } from 'vitest';
import { slowDelaysMs } from '../support/gateway.ts';
import { statesOf } from '../support/history.ts';
import { useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';

// Operators clear what waits for a paused account. Nothing of it is left for the end of the pause.

const stage = useStage({ delaysMs: slowDelaysMs });

test('events that are ended while their account is paused leave the queue, and their commands are carried out', async () => {
  const { gateway, operate } = stage;
  const { admin, rows } = gateway;
  const consumer = await stage.consumer(500, 200);
  const account = await admin.createAccount({ delivery_url: consumer.url });
  const send = async (id: string): Promise<string> => (await gateway.send(account, `{"id":"${id}"}`)).body.id;
  // One that was attempted, and two that were not.
  const attempted = await send('attempted');
  await admin.eventually(attempted, (e) => e.attempts === 1);
  expect((await admin.post(`/admin/accounts/${account.id}/pause`, { reason: 'a test' })).status).toBe(200);
  const [acked, dead] = [await send('acked'), await send('dead')];
  const waiting = () => rows('select event_id from event_queue where event_id = any($1)', [[acked, dead]]);
  await until('both wait', async () => (await waiting()).length === 2);
  await operate.ack(acked);
  await operate.dead(dead);
  await operate.ack(attempted);
  const left = `select event_id from event_queue union all select event_id from event_commands`;
  await until('nothing is left to do', async () => (await rows(left)).length === 0);
  expect((await admin.request('GET', `/admin/accounts/${account.id}`)).body.paused_since).not.toBeNull();
  const states = await Promise.all([acked, dead, attempted].map(async (id) => statesOf(await admin.event(id))));
  expect(states).toEqual(['processed/delivered', 'dead/failed', 'processed/delivered']);
  expect(consumer.deliveries).toHaveLength(1);
});
