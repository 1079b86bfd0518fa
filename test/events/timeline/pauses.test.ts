import { expect, test } from 'vitest';
import { consumersOf, iso } from '../../consumers/support.ts';
import { accountForTest } from '../../support/consumer.ts';
import { useGateway } from '../../support/use-gateway.ts';

const gateway = useGateway();

const post = async (path: string, body?: unknown) => expect((await gateway.admin.post(path, body)).status).toBe(200);
const sent = async (account: { provider: string; account_slug: string }, body = '{}') =>
  (await gateway.send(account, body)).body.id as string;
const delivered = (id: string) => gateway.admin.eventually(id, (event) => event.delivery_status === 'delivered');

test('an event has the pauses that it met, of all, of its account and of its consumer, with their reasons', async () => {
  const { account } = await accountForTest(gateway.admin);
  const { account: other } = await accountForTest(gateway.admin);
  const consumers = consumersOf(gateway, account.id);
  const before = await sent(account);
  await delivered(before);

  await post('/admin/delivery/pause', { reason: 'the shop moves' });
  await post(`/admin/accounts/${account.id}/pause`, { reason: 'the account moves' });
  expect((await consumers.pause('default', { reason: 'the consumer moves' })).status).toBe(200);
  const [id, elsewhere] = [await sent(account), await sent(other)];
  const waiting = await gateway.admin.event(id);
  const open = { since: iso, until: null, paused_by: 'tester', resumed_by: null };
  expect(waiting.pauses).toEqual([
    { ...open, paused: 'everything', reason: 'the shop moves' },
    { ...open, paused: 'account', reason: 'the account moves' },
    { ...open, paused: 'consumer', reason: 'the consumer moves' },
  ]);

  await post('/admin/delivery/resume');
  await delivered(elsewhere);
  await consumers.resume('default');
  await post(`/admin/accounts/${account.id}/resume`);
  await delivered(id);
  const over = { since: iso, until: iso, paused_by: 'tester', resumed_by: 'tester' };
  expect((await gateway.admin.event(id)).pauses).toEqual([
    { ...over, paused: 'everything', reason: 'the shop moves' },
    { ...over, paused: 'account', reason: 'the account moves' },
    { ...over, paused: 'consumer', reason: 'the consumer moves' },
  ]);
  expect((await gateway.admin.event(elsewhere)).pauses).toMatchObject([{ paused: 'everything' }]);
  // It was delivered before, and the next one is received afterwards.
  expect((await gateway.admin.event(before)).pauses).toEqual([]);
  expect((await gateway.admin.event(await sent(account))).pauses).toEqual([]);
});

test('an event has the pause that its replay met, and not one between its generations', async () => {
  const { account, consumer } = await accountForTest(gateway.admin, 500);
  const id = await sent(account);
  await gateway.admin.eventually(id, (event) => event.delivery_status === 'failed');
  const path = `/admin/accounts/${account.id}`;
  await post(`${path}/pause`, { reason: 'between' });
  await post(`${path}/resume`);
  consumer.replies = [200];
  await post(`${path}/pause`, { reason: 'during the replay' });
  expect((await gateway.admin.post(`/admin/events/${id}/replay`)).status).toBe(202);
  await post(`${path}/resume`);
  await delivered(id);
  await post(`${path}/pause`, { reason: 'afterwards' });
  await post(`${path}/resume`);
  expect((await gateway.admin.event(id)).pauses).toMatchObject([{ reason: 'during the replay' }]);
});

test('of more than 1,000 pauses, an event has those in force and those that ended last', async () => {
  const { account } = await accountForTest(gateway.admin);
  const path = `/admin/accounts/${account.id}`;
  await post(`${path}/pause`, { reason: 'in force' });
  const id = await sent(account);
  await gateway.rows(
    `insert into pauses (account_id, consumer_id, since, ended_at, reason)
     select $1::uuid, $1::uuid, now() + n * interval '1 ms', now() + (n + 1) * interval '1 ms', n::text from generate_series(1, 1500) n`,
    [account.id],
  );
  // So often replayed that each generation alone would take long.
  await gateway.rows('update events set generation = 100000 where id = $1', [id]);
  const { pauses } = await gateway.admin.event(id);
  const ended = Array.from({ length: 999 }, (_, n) => `${n + 502}`);
  expect(pauses.map(({ reason }: { reason: string }) => reason)).toEqual(['in force', ...ended]);
});

test('a second pause keeps who has paused and why', async () => {
  const { account } = await accountForTest(gateway.admin);
  const path = `/admin/accounts/${account.id}`;
  await post(`${path}/pause`, { reason: 'first' });
  await post(`${path}/pause`, { reason: 'second' });
  const id = await sent(account);
  await post(`${path}/resume`);
  await post(`${path}/resume`);
  await delivered(id);
  expect((await gateway.admin.event(id)).pauses).toMatchObject([{ reason: 'first', until: iso }]);
});

test('a pause of the release before, which has no record, is recorded when it ends', async () => {
  const { account } = await accountForTest(gateway.admin);
  await post('/admin/delivery/pause', { reason: 'restored' });
  await gateway.rows('delete from pauses where account_id is null and ended_at is null');
  const id = await sent(account);
  await post('/admin/delivery/resume');
  await delivered(id);
  expect((await gateway.admin.event(id)).pauses).toMatchObject([
    { paused: 'everything', reason: 'restored', paused_by: null, resumed_by: 'tester' },
  ]);
});
