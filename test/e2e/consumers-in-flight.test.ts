import { afterEach, describe, expect, test } from 'vitest';
import type { Consumer, Reply } from '../support/consumer.ts';
import { firstAttemptsBy } from '../support/first-attempts.ts';
import { instantDelaysMs, slowDelaysMs } from '../support/gateway.ts';
import { hang } from '../support/replies.ts';
import { openStage, type Stage } from '../support/situations.ts';
import { until } from '../support/until.ts';

// The attempts in flight of the consumers of one account (docs/several-consumers.md, "Limits").

const accountConcurrency = 3;
/** The most consumers of an account, `default` included. */
const mostConsumers = 25;

describe.each(firstAttemptsBy)('attempts by %s', (_, apiDelivers) => {
  let stage: Stage;
  afterEach(() => stage.close());

  /** An account whose consumer `default` is `own`, with others by their names. */
  async function accountWith(own: Consumer, others: Record<string, Consumer>) {
    const { admin } = stage.gateway;
    const account = await admin.createAccount({ delivery_url: own.url });
    for (const [name, { url }] of Object.entries(others)) {
      const created = await admin.post(`/admin/accounts/${account.id}/consumers`, { name, url });
      expect(created.status, JSON.stringify(created.body)).toBe(201);
    }
    return account;
  }

  const sendMany = async (account: { provider: string; account_slug: string }, count: number) => {
    const sent = Array.from({ length: count }, (_, n) => stage.gateway.send(account, `{"id":"event ${n}"}`));
    expect((await Promise.all(sent)).filter(({ status }) => status !== 202)).toEqual([]);
  };
  const allDelivered = (count: number) =>
    until('all events are delivered', async () => {
      const delivered = await stage.gateway.rows(`select id from events where delivery_status = 'delivered'`);
      return delivered.length === count;
    });

  test(`of ${mostConsumers} consumers are at most twice ACCOUNT_CONCURRENCY together, and every event is delivered`, async () => {
    stage = await openStage({ delaysMs: slowDelaysMs, accountConcurrency, apiDelivers, worker: false });
    const now = new Map<unknown, number>();
    const most = { together: 0, ofOne: 0 };
    const waiting: (() => void)[] = [];
    // The first answers wait until the limit is reached, and 100 ms more, so that an attempt beyond it would arrive.
    const reply: Reply = (response, { headers }) => {
      const name = headers['x-webhook-consumer'];
      now.set(name, (now.get(name) ?? 0) + 1);
      most.ofOne = Math.max(most.ofOne, ...now.values());
      most.together = Math.max(
        most.together,
        [...now.values()].reduce((sum, count) => sum + count, 0),
      );
      waiting.push(() => {
        now.set(name, (now.get(name) ?? 0) - 1);
        response.writeHead(200).end();
      });
      if (most.together >= 2 * accountConcurrency) for (const answer of waiting.splice(0)) setTimeout(answer, 100);
    };
    const consumer = await stage.consumer(reply);
    const others = Array.from({ length: mostConsumers - 1 }, (_, n) => [`c-${n}`, consumer] as const);
    const account = await accountWith(consumer, Object.fromEntries(others));
    await sendMany(account, 2);
    await stage.gateway.startWorker();
    await allDelivered(2 * mostConsumers);
    expect(most.together).toBe(2 * accountConcurrency);
    expect(most.ofOne).toBeLessThanOrEqual(accountConcurrency);
    const ids = consumer.deliveries.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([2 * mostConsumers, 2 * mostConsumers]);
  });

  test('of a consumer that hangs leave its siblings room, also for later webhooks', async () => {
    stage = await openStage({ delaysMs: instantDelaysMs, accountConcurrency, apiDelivers, timeLimitMs: 280_000 });
    // Workflows ask for a slot after a time that grows with the line before them and with the duration of earlier attempts.
    const count = 12;
    const [own, slow, other] = [await stage.consumer(), await stage.consumer(hang), await stage.consumer()];
    const account = await accountWith(own, { slow, other });
    await sendMany(account, count);
    await until('the siblings have all', () => own.deliveries.length === count && other.deliveries.length === count);
    await stage.gateway.send(account, '{"id":"later"}');
    await until('and the later one', () => own.deliveries.length > count && other.deliveries.length > count);
    await until('the slow one is full', () => slow.deliveries.length >= accountConcurrency);
    // It has answered no attempt, and got no more than its limit.
    expect(slow.deliveries).toHaveLength(accountConcurrency);
    slow.replies = [200];
    slow.hangUp();
    await allDelivered(3 * (count + 1));
    const ids = slow.deliveries.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(count + 1);
  });
});
