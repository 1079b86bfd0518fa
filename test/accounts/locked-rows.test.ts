import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { slowDelaysMs } from '../support/gateway.ts';
import { openClient } from '../support/one-connection.ts';
import { until } from '../support/until.ts';
import { useConsumer, useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ delaysMs: slowDelaysMs });
const consumer = useConsumer();

test('changes wait for rows that a large batch holds for longer than a statement may wait', async () => {
  const account = { provider: 'generic', account_slug: 'held' };
  consumer.replies = [500];
  const { id } = await gateway.admin.createAccount({ account_slug: 'held', app_key: 'a', delivery_url: consumer.url });
  const event = (await gateway.send(account, '{"a":1}')).body.id;
  await gateway.admin.eventually(event, ({ attempts }) => attempts === 1);

  const batch = await openClient(gateway.database.url);
  await batch.query('begin');
  await batch.query('select from accounts where id = $1 for update', [id]);
  await batch.query('select from events where id = $1 for update', [event]);
  const changes = Promise.all([
    gateway.admin.request('PATCH', `/admin/accounts/${id}`, { project_id: 'changed' }),
    gateway.admin.request('POST', `/admin/accounts/${id}/pause`),
    gateway.admin.request('POST', `/admin/events/${event}/ack`, { reason: 'known' }),
  ]);
  await until('all three wait', async () => {
    const [row] = await gateway.rows(
      `select count(*)::integer as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row?.waiting === 3;
  });
  // The database ends a wait for a lock after five seconds.
  await sleep(6_000);
  await batch.query('commit');
  expect((await changes).map(({ status, body }) => (status === 200 ? status : body))).toEqual([200, 200, 200]);
  const actions = (await gateway.rows('select action from audit_logs')).map(({ action }) => action);
  for (const action of ['account.update', 'account.pause', 'event.ack'])
    expect(actions.filter((one) => one === action)).toHaveLength(1);
});
