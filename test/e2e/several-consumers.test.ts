import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { Consumer } from '../support/consumer.ts';
import { instantDelaysMs } from '../support/gateway.ts';
import { useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';

// Several consumers of an account (docs/several-consumers.md): in an api that delivers, and by workflows alone.

const secret = `whsec_${Buffer.from('a secret of billing').toString('base64')}`;

describe.each([['an api'], ['workflows']])('with first attempts by %s', (by) => {
  const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers: by === 'an api' });
  const { admin } = { admin: () => stage.gateway.admin };

  const rowsOf = (requestId: string) =>
    stage.gateway.rows(
      `select e.id, coalesce((select name from consumers c where c.id = e.consumer_id), 'default') as consumer, status, delivery_status, last_error
       from events e where coalesce(request_id, id) = $1 order by consumer`,
      [requestId],
    );
  const settled = (requestId: string) =>
    until('all events of the webhook are settled', async () => {
      const rows = await rowsOf(requestId);
      return rows.length > 0 && rows.every((row) => row.delivery_status !== 'pending');
    });

  async function accountWith(consumers: Record<string, Consumer & { condition?: string }>, fields = {}) {
    const account = await admin().createAccount(fields);
    for (const [name, { url, condition = null }] of Object.entries(consumers)) {
      const body = { name, url, condition, ...(name === 'billing' ? { secret } : {}) };
      const created = await admin().post(`/admin/accounts/${account.id}/consumers`, body);
      expect(created.status, JSON.stringify(created.body)).toBe(201);
    }
    return account;
  }
  const send = async (account: { provider: string; account_slug: string }, payload: unknown) => {
    const answer = await stage.gateway.send(account, JSON.stringify(payload));
    expect(answer.status).toBe(202);
    return answer.body;
  };

  test('each gets its event, with its own id, secret and name, and the bytes of the webhook', async () => {
    const [main, billing] = [await stage.consumer(), await stage.consumer()];
    const account = await accountWith({ billing }, { delivery_url: main.url });
    const accepted = await send(account, { id: 'one', type: 'order' });
    await settled(accepted.id);
    const rows = await rowsOf(accepted.id);
    expect(rows).toMatchObject([
      { consumer: 'billing', delivery_status: 'delivered' },
      { consumer: 'default', delivery_status: 'delivered', id: accepted.id },
    ]);
    const [own, other] = [main.deliveries[0], billing.deliveries[0]];
    expect(own?.headers).toMatchObject({
      ...{ 'webhook-id': accepted.id, 'x-webhook-request-id': accepted.id, 'x-webhook-consumer': 'default' },
    });
    expect(other?.headers).toMatchObject({
      ...{ 'webhook-id': rows[0]?.id, 'x-webhook-request-id': accepted.id, 'x-webhook-consumer': 'billing' },
    });
    expect(other?.body).toEqual(own?.body);
    expect(new Webhook(secret).verify(String(other?.body), other?.headers as Record<string, string>)).toEqual({
      ...{ id: 'one', type: 'order' },
    });
    expect(own?.headers).not.toHaveProperty('webhook-signature');
  });

  test('one fails and is exhausted, and the others are not touched', async () => {
    const [good, bad] = [await stage.consumer(), await stage.consumer(500)];
    const account = await accountWith({ bad }, { delivery_url: good.url });
    const accepted = await send(account, { id: 'two' });
    await settled(accepted.id);
    expect(await rowsOf(accepted.id)).toMatchObject([
      { consumer: 'bad', status: 'failed', delivery_status: 'failed' },
      { consumer: 'default', delivery_status: 'delivered' },
    ]);
    expect(good.deliveries).toHaveLength(1);
  });

  test('conditions decide, and a webhook that nobody wants is stored as skipped', async () => {
    const [main, large] = [await stage.consumer(), await stage.consumer()];
    const account = await accountWith(
      { large: Object.assign(large, { condition: 'payload.amount > 100' }) },
      { delivery_url: main.url },
    );
    const path = `/admin/accounts/${account.id}/consumers/default`;
    const changed = await admin().request('PATCH', path, { condition: 'payload.amount < 10' });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    const [small, big, middle] = [
      await send(account, { id: 'small', amount: 5 }),
      await send(account, { id: 'big', amount: 500 }),
      await send(account, { id: 'middle', amount: 50 }),
    ];
    await settled(small.id);
    await settled(big.id);
    expect(await rowsOf(small.id)).toMatchObject([{ consumer: 'default', delivery_status: 'delivered' }]);
    expect(await rowsOf(big.id)).toMatchObject([{ consumer: 'large', delivery_status: 'delivered', id: big.id }]);
    const [skipped, ...more] = await stage.gateway.rows(
      `select status, delivery_status, skipped_reason, unmatched, (select count(*)::integer from event_queue q where q.event_id = e.id) as queued
       from events e join event_payloads p on p.event_id = e.id where e.id = $1`,
      [middle.id],
    );
    expect(more).toEqual([]);
    expect(skipped).toEqual({
      ...{ status: 'enqueued', delivery_status: null, skipped_reason: 'no_consumer_matched' },
      ...{ unmatched: ['default', 'large'], queued: 0 },
    });
    expect([main.deliveries.length, large.deliveries.length]).toEqual([1, 1]);
  });

  test('a duplicate has the id of the webhook, and replays those of its events that are exhausted', async () => {
    const [good, bad] = [await stage.consumer(), await stage.consumer(500, 500, 500, 200)];
    const account = await accountWith({ bad }, { delivery_url: good.url });
    const accepted = await send(account, { id: 'again' });
    await settled(accepted.id);
    expect(await rowsOf(accepted.id)).toMatchObject([{ delivery_status: 'failed' }, { delivery_status: 'delivered' }]);
    const again = await send(account, { id: 'again' });
    expect(again).toMatchObject({ id: accepted.id, duplicate: true });
    await until('the exhausted one is delivered', async () =>
      (await rowsOf(accepted.id)).every((row) => row.delivery_status === 'delivered'),
    );
    expect(good.deliveries).toHaveLength(1);
    expect(bad.deliveries.at(-1)?.headers).toMatchObject({ 'x-webhook-replay': 'true', 'x-webhook-consumer': 'bad' });
  });

  test('a paused consumer waits, its siblings do not, and what is due begins after the resume', async () => {
    const [main, paused] = [await stage.consumer(), await stage.consumer()];
    const account = await accountWith({ paused }, { delivery_url: main.url });
    const path = `/admin/accounts/${account.id}/consumers/paused`;
    expect((await admin().post(`${path}/pause`, { reason: 'a test' })).status).toBe(200);
    const accepted = await send(account, { id: 'waits' });
    await until('the other one is delivered', () => main.deliveries.length === 1);
    await until(
      'the event waits',
      async () =>
        (
          await stage.gateway.rows(
            `select 1 from event_queue q join events e on e.id = q.event_id
         where e.request_id = $1 and (q.claim_token is null or q.claimed_until <= now())`,
            [accepted.id],
          )
        ).length === 1,
    );
    expect(paused.deliveries).toEqual([]);
    expect((await admin().post(`${path}/resume`)).status).toBe(200);
    await settled(accepted.id);
    expect(paused.deliveries).toHaveLength(1);
    expect(await rowsOf(accepted.id)).toMatchObject([
      { delivery_status: 'delivered' },
      { delivery_status: 'delivered' },
    ]);
  });

  test('a paused account: webhooks become events, which wait, and none is counted', async () => {
    const [main, second] = [await stage.consumer(), await stage.consumer()];
    const account = await accountWith({ second }, { delivery_url: main.url });
    expect((await admin().post(`/admin/accounts/${account.id}/pause`)).status).toBe(200);
    const accepted = await send(account, { id: 'account' });
    await until('both wait in the queue', async () => {
      const rows = await stage.gateway.rows(
        `select e.attempts from event_queue q join events e on e.id = q.event_id
         where coalesce(e.request_id, e.id) = $1 and (q.claim_token is null or q.claimed_until <= now())`,
        [accepted.id],
      );
      return rows.length === 2 && rows.every(({ attempts }) => attempts === 0);
    });
    expect([...main.deliveries, ...second.deliveries]).toEqual([]);
    expect((await admin().post(`/admin/accounts/${account.id}/resume`)).status).toBe(200);
    await settled(accepted.id);
    expect([main.deliveries.length, second.deliveries.length]).toEqual([1, 1]);
  });

  test('a deleted consumer ends its waiting events, without notifications, and leaves its siblings', async () => {
    const [main, gone] = [await stage.consumer(), await stage.consumer()];
    const account = await accountWith({ gone }, { delivery_url: main.url });
    const path = `/admin/accounts/${account.id}/consumers/gone`;
    await admin().post(`${path}/pause`);
    const accepted = await send(account, { id: 'deleted' });
    expect((await admin().request('DELETE', path)).status).toBe(204);
    await settled(accepted.id);
    expect(await rowsOf(accepted.id)).toMatchObject([
      { consumer: 'default', delivery_status: 'delivered' },
      { consumer: 'gone', delivery_status: 'failed', last_error: 'consumer_deleted' },
    ]);
    const next = await send(account, { id: 'later' });
    await settled(next.id);
    expect(await rowsOf(next.id)).toHaveLength(1);
    expect(gone.deliveries).toEqual([]);
  });

  test('a disabled consumer gets no new events, and those that wait are delivered once it is enabled', async () => {
    const [main, off] = [await stage.consumer(), await stage.consumer()];
    const account = await accountWith({ off }, { delivery_url: main.url });
    const path = `/admin/accounts/${account.id}/consumers/off`;
    await admin().post(`${path}/pause`);
    const before = await send(account, { id: 'before' });
    await admin().request('PATCH', path, { enabled: false });
    await admin().post(`${path}/resume`);
    const meanwhile = await send(account, { id: 'meanwhile' });
    await settled(meanwhile.id);
    expect(await rowsOf(meanwhile.id)).toHaveLength(1);
    expect(off.deliveries).toEqual([]);
    await admin().request('PATCH', path, { enabled: true });
    await settled(before.id);
    expect(off.deliveries).toHaveLength(1);
  });
});
