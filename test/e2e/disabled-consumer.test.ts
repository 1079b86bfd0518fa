import { describe, expect, test } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import type { Consumer } from '../support/consumer.ts';
import { firstAttemptsBy } from '../support/first-attempts.ts';
import { hold } from '../support/replies.ts';
import { useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';

// The end of the events of a disabled consumer (docs/several-consumers.md, "States of a consumer"). Those of a disabled
// account are in accounts-in-flight.test.ts.

describe.each(firstAttemptsBy)('events of a disabled consumer, first attempts by %s', (_, apiDelivers) => {
  const stage = useStage({ apiDelivers, overdueS: 1 });

  /** An account with these consumers, of which the first is `default`, and a destination. */
  async function accountWith(main: Consumer, others: Record<string, Consumer>) {
    const { admin } = stage.gateway;
    const account = await admin.createAccount({ delivery_url: main.url });
    const consumers = consumersOf(stage.gateway, account.id);
    const ids: Record<string, string> = { default: account.id };
    for (const [name, { url }] of Object.entries(others)) ids[name] = (await consumers.made(name, { url })).id;
    const hook = await stage.consumer();
    const destination = { destination_type: 'webhook', name: 'Hook', config: { url: hook.url } };
    expect((await admin.post(`/admin/accounts/${account.id}/destinations`, destination)).status).toBe(201);
    const accepted = async (answer: Promise<{ status: number; body: unknown }>) => {
      const { status, body } = await answer;
      expect(status, JSON.stringify(body)).toBe(200);
    };
    return {
      hook,
      pause: (name: string) => accepted(consumers.pause(name)),
      resume: (name: string) => accepted(consumers.resume(name)),
      enable: (name: string, enabled: boolean) => accepted(consumers.patch(name, { enabled })),
      /** Sends a webhook, and returns the ids of its events by the names of their consumers. */
      async send(id: string): Promise<Record<string, string>> {
        const { status, body } = await stage.gateway.send(account, JSON.stringify({ id }));
        expect(status).toBe(202);
        const rows = await stage.gateway.rows(
          'select id, coalesce(consumer_id, account_id) as consumer from events where coalesce(request_id, id) = $1',
          [body.id],
        );
        expect(rows).toHaveLength(1 + Object.keys(others).length);
        const nameOf = (consumerId: unknown) => Object.keys(ids).find((name) => ids[name] === consumerId) ?? '';
        return Object.fromEntries(rows.map((row) => [nameOf(row.consumer), String(row.id)]));
      },
      /** As if the account and these consumers had not been changed or paused for seven days. `default` has a row once it was changed. */
      async ageSettings(...names: string[]) {
        const [inAccounts, inConsumers] = ['accounts', 'consumers'].map(
          (table) => `update ${table} set updated_at = now() - interval '7 days' where id = any($1) returning id`,
        );
        await stage.gateway.rows(inAccounts ?? '', [[account.id]]);
        await stage.gateway.rows(
          `update pauses set ended_at = now() - interval '7 days' where account_id = $1 and ended_at is not null`,
          [account.id],
        );
        const aged = await stage.gateway.rows(inConsumers ?? '', [names.map((name) => ids[name])]);
        expect(aged).toHaveLength(names.length);
      },
    };
  }

  /** Waits until an event has ended, while these events have been due for seven days. */
  const endedAfterDays = (id: string, due: string[]) =>
    until('the event has ended', async () => {
      // Without an api that delivers, an event moves to another lane some time later, and its days begin again.
      await stage.gateway.rows(
        `update event_queue set lane_since = now() - interval '7 days' where event_id = any($1)`,
        [due],
      );
      const event = await stage.gateway.admin.event(id);
      return event.delivery_status !== 'pending' && event;
    });
  const waitsFor = (id: string, reason: string) =>
    stage.gateway.admin.eventually(id, (event) => event.waits_for === reason);
  const delivered = (id: string) =>
    stage.gateway.admin.eventually(id, (event) => event.delivery_status === 'delivered');
  const toldOf = (hook: Consumer) =>
    hook.deliveries.map(({ body }) => {
      const { event } = JSON.parse(body.toString()).data;
      return [event.id, event.consumer, event.last_error];
    });

  test('end after seven days, destinations are notified, and all other events still wait', async () => {
    const [main, off, recent] = [await stage.consumer(), await stage.consumer(), await stage.consumer()];
    const account = await accountWith(main, { off, recent });
    for (const name of ['default', 'off', 'recent']) await account.pause(name);
    const old = await account.send('old');
    const young = await account.send('young');
    for (const name of ['off', 'recent']) {
      await account.enable(name, false);
      await account.resume(name);
    }
    const ended = old.off ?? '';
    const others = [...Object.values(old), ...Object.values(young)].filter((id) => id !== ended);
    expect(others).toHaveLength(5);
    /** What the other events wait for: the consumer `recent` was disabled just now, `young` is due since just now. */
    const othersWait = async () => {
      for (const events of [old, young])
        for (const [name, id] of Object.entries(events)) {
          if (id === ended) continue;
          const event = await waitsFor(id, name === 'default' ? 'paused' : 'consumer_disabled');
          expect(event).toMatchObject({ delivery_status: 'pending', attempts: 0, last_error: null, notifications: [] });
        }
    };
    await waitsFor(ended, 'consumer_disabled');
    await othersWait();

    await account.ageSettings('default', 'off');
    const event = await endedAfterDays(ended, Object.values(old));
    expect(event).toMatchObject({
      ...{ status: 'failed', delivery_status: 'failed', last_error: 'consumer_disabled', consumer: 'off' },
      ...{ attempts: 0, next_attempt_at: null, waits_for: null },
    });
    await othersWait();
    await until('the destination is notified', () => account.hook.deliveries.length > 0);

    for (const name of ['off', 'recent']) await account.enable(name, true);
    await account.resume('default');
    for (const id of others) await delivered(id);
    expect([main, off, recent].map(({ deliveries }) => deliveries.length)).toEqual([2, 1, 2]);
    expect(off.deliveries[0]?.headers['webhook-id']).toBe(young.off);
    const after = await stage.gateway.admin.eventually(ended, (now) => now.notifications[0]?.status === 'sent');
    expect(after).toMatchObject({ delivery_status: 'failed', attempts: 0, notifications: [{ attempts: 1 }] });
    expect(toldOf(account.hook)).toEqual([[ended, 'off', 'consumer_disabled']]);
  });

  test.each([
    ['billing', 'default'],
    ['default', 'billing'],
  ])('of %s end after seven days also after an attempt, and the event of %s stays delivered', async (name, other) => {
    const held = hold();
    const [well, off] = [await stage.consumer(), await stage.consumer(held.reply, 200)];
    const [main, billing] = name === 'default' ? [off, well] : [well, off];
    const account = await accountWith(main, { billing });
    const { [name]: id = '', [other]: sibling = '' } = await account.send('one');
    await held.arrived;
    const { delivery_status, attempts, last_error, notifications } = await delivered(sibling);
    await account.enable(name, false);
    held.answer(500);
    expect(await waitsFor(id, 'consumer_disabled')).toMatchObject({ delivery_status: 'pending', attempts: 1 });

    await account.ageSettings(name);
    expect(await endedAfterDays(id, [id])).toMatchObject({
      ...{ status: 'failed', delivery_status: 'failed', last_error: 'consumer_disabled', consumer: name },
      ...{ attempts: 1, next_attempt_at: null, waits_for: null },
    });
    await stage.gateway.admin.eventually(id, (event) => event.notifications[0]?.status === 'sent');
    expect(toldOf(account.hook)).toEqual([[id, name, 'consumer_disabled']]);
    expect([well, off].map(({ deliveries }) => deliveries.length)).toEqual([1, 1]);
    expect(await stage.gateway.admin.event(sibling)).toMatchObject({
      ...{ delivery_status, attempts, last_error, notifications },
    });
  });
});
