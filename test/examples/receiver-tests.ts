import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { consumerForTest, type Reply } from '../support/consumer.ts';
import { newWhsec, secretText } from '../support/secrets.ts';
import { useForAll } from '../support/use.ts';
import { useGateway } from '../support/use-gateway.ts';
import { type ReceiverCommand, startReceiver } from './receiver-process.ts';

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
/** Not to be repeated by the database, so that each test has an order of its own. */
const newOrder = () => `o-${randomUUID()}`;
const created = (order: string) => JSON.stringify({ type: 'order.created', order });
const paid = (order: string, amount: number) => JSON.stringify({ type: 'order.paid', order, amount });

/** The tests of a receiver of examples/, behind a gateway. Each receiver does the same work. */
export function testReceiver(command: ReceiverCommand): void {
  const [old, next] = [newWhsec(), newWhsec()];
  const texts = [secretText('any-text'), `whsec_${secretText('no-base64')}`];
  const gateway = useGateway();
  const receiver = useForAll(
    () => startReceiver(command, [old, next, ...texts]),
    (started) => started.stop(),
  );

  const account = (fields: Record<string, unknown> = {}) =>
    gateway.admin.createAccount({ delivery_url: receiver.url, delivery_secret: old, ...fields });
  /** Sends a webhook, and returns its event when the delivery has ended. */
  async function delivered(to: { provider: string; account_slug: string }, body: string, type = json) {
    const { body: answer } = await gateway.send(to, body, { 'content-type': type });
    return gateway.admin.eventually(answer.id, (event) => event.delivery_status !== 'pending');
  }
  /** Posts to a receiver without a gateway, as an attacker or a late network can. */
  async function post(
    url: string,
    secret: string,
    body: string | Buffer,
    change: Record<string, string> = {},
    at = new Date(),
  ) {
    const id = randomUUID();
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        ...{ 'content-type': json, 'webhook-id': id, 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)) },
        ...{ 'webhook-signature': new Webhook(secret).sign(id, at, body.toString()), ...change },
      },
      body: Buffer.from(body),
    });
    return { id, status: response.status };
  }

  test('an event is processed, and a test delivery is accepted', async () => {
    const order = newOrder();
    const shop = await account();
    const event = await delivered(shop, created(order));
    expect(event).toMatchObject({ delivery_status: 'delivered', delivery_history: [{ outcome: 'delivered' }] });
    expect(receiver.stored().orders).toHaveProperty(order, 0);
    expect(receiver.stored().events).toContain(event.id);
    const tried = await gateway.admin.post(`/admin/accounts/${shop.id}/test-delivery`);
    expect([tried.status, tried.body]).toMatchObject([200, { ok: true }]);
  });

  test('a duplicate after a lost answer is answered 2xx and not processed again', async () => {
    const order = newOrder();
    const shop = await account();
    await delivered(shop, created(order));
    const proxy = await consumerForTest(lostAnswer(receiver.url), passedOn(receiver.url));
    const event = await delivered(await account({ delivery_url: proxy.url }), paid(order, 5));
    expect(event.delivery_history.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'connection_error',
      'delivered',
    ]);
    expect(receiver.stored().orders).toHaveProperty(order, 5);
  });

  test('a replay of a processed event is answered 2xx and not processed again', async () => {
    const order = newOrder();
    const shop = await account();
    await delivered(shop, created(order));
    const { id } = await delivered(shop, paid(order, 5));
    expect((await gateway.admin.post(`/admin/events/${id}/replay`)).status).toBe(202);
    const replayed = await gateway.admin.eventually(
      id,
      (event) => event.delivery_history.length === 2 && event.delivery_status === 'delivered',
    );
    expect(replayed.delivery_history).toMatchObject([{ outcome: 'delivered' }, { outcome: 'delivered' }]);
    expect(receiver.stored().orders).toHaveProperty(order, 5);
  });

  test('an event whose work failed is not stored, and its replay is processed', async () => {
    const order = newOrder();
    const shop = await account();
    const { id, delivery_status } = await delivered(shop, paid(order, 5));
    expect(delivery_status).toBe('failed');
    expect(receiver.stored().events).not.toContain(id);
    await delivered(shop, created(order));
    expect((await gateway.admin.post(`/admin/events/${id}/replay`)).status).toBe(202);
    await gateway.admin.eventually(id, (event) => event.delivery_status === 'delivered');
    expect(receiver.stored().orders).toHaveProperty(order, 5);
  });

  test('a rotation of the secret refuses no delivery, and afterwards the old secret is refused', async () => {
    const order = newOrder();
    const shop = await account();
    await delivered(shop, created(order));
    await gateway.admin.request('PATCH', `/admin/accounts/${shop.id}`, { delivery_secret: next });
    const event = await delivered(shop, paid(order, 7));
    expect(event).toMatchObject({ delivery_status: 'delivered', delivery_history: [{ outcome: 'delivered' }] });
    expect(receiver.stored().orders).toHaveProperty(order, 7);
    const after = await startReceiver(command, [next]);
    try {
      expect((await post(after.url, old, created(order))).status).toBe(401);
      expect((await post(after.url, next, created(order))).status).toBe(204);
      expect(after.stored().orders).toEqual({ [order]: 0 });
    } finally {
      await after.stop();
    }
  });

  test('during a rotation that signs with two secrets, a receiver that has one of them accepts deliveries', async () => {
    const shop = await account();
    const change = { delivery_secret: newWhsec(), rotate: true };
    expect((await gateway.admin.request('PATCH', `/admin/accounts/${shop.id}`, change)).status).toBe(200);
    expect(await delivered(shop, created(newOrder()))).toMatchObject({ delivery_status: 'delivered' });
    const late = await account({ delivery_secret: newWhsec() });
    expect(
      (await gateway.admin.request('PATCH', `/admin/accounts/${late.id}`, { delivery_secret: next, rotate: true }))
        .status,
    ).toBe(200);
    expect(await delivered(late, created(newOrder()))).toMatchObject({ delivery_status: 'delivered' });
  });

  test('a secret that is any text is accepted, also one that begins like base64', async () => {
    for (const delivery_secret of texts) {
      const shop = await account({ delivery_secret });
      expect(await delivered(shop, created(newOrder()))).toMatchObject({ delivery_status: 'delivered' });
    }
  });

  test('a form is processed', async () => {
    const order = newOrder();
    const shop = await account();
    await delivered(shop, String(new URLSearchParams({ type: 'order.created', order })), form);
    const event = await delivered(
      shop,
      String(new URLSearchParams({ type: 'order.paid', order, amount: '3' })),
      `${form}; charset=utf-8`,
    );
    expect(event.delivery_status).toBe('delivered');
    expect(receiver.stored().orders).toHaveProperty(order, 3);
  });

  test('a body of 1 MiB and one that is not UTF-8 are processed', async () => {
    const [large, latin1] = [newOrder(), newOrder()];
    const shop = await account();
    const start = `${created(large).slice(0, -1)},"note":"`;
    const body = `${start}${'x'.repeat(1024 * 1024 - start.length - 2)}"}`;
    expect(await delivered(shop, body)).toMatchObject({ delivery_status: 'delivered' });
    const { body: answer } = await gateway.send(
      shop,
      new Uint8Array(Buffer.from(`type=order.created&order=${latin1}&note=caf\xe9`, 'latin1')),
      { 'content-type': form },
    );
    await gateway.admin.eventually(answer.id, (event) => event.delivery_status === 'delivered');
    expect(Object.keys(receiver.stored().orders)).toEqual(expect.arrayContaining([large, latin1]));
  });

  test('a stale timestamp, a wrong signature and a missing one are refused, and nothing is stored', async () => {
    const body = created(newOrder());
    const tenMinutesMs = 10 * 60_000;
    const forged = [
      await post(receiver.url, old, body, {}, new Date(Date.now() - tenMinutesMs)),
      await post(receiver.url, old, body, {}, new Date(Date.now() + tenMinutesMs)),
      // The time as it is now, with the signature of another time.
      await post(receiver.url, old, body, { 'webhook-timestamp': `${Math.floor(Date.now() / 1000) - 60}` }),
      await post(receiver.url, old, body, { 'webhook-timestamp': 'now' }),
      await post(receiver.url, old, body, { 'webhook-id': randomUUID() }),
      await post(receiver.url, newWhsec(), body),
      await post(receiver.url, old, body, { 'webhook-signature': '' }),
      await post(receiver.url, old, body, { 'webhook-signature': 'v1,%%% v1 caf\xe9' }),
    ];
    expect(forged.map(({ status }) => status)).toEqual(forged.map(() => 401));
    const { events } = receiver.stored();
    expect(forged.filter(({ id }) => events.includes(id))).toEqual([]);
  });

  test('a signed body that the receiver cannot read is refused with 415', async () => {
    for (const [body, type] of [
      ['{"type":', json],
      ['[1]', json],
      ['', json],
      ['<order/>', 'application/xml'],
    ] as const)
      expect((await post(receiver.url, old, body, { 'content-type': type })).status, body).toBe(415);
  });
}

/** Passes a delivery on to the receiver, and its answer back. */
function passedOn(url: string, answered = true): Reply {
  return async (response, { headers, body }) => {
    const { 'content-length': _, connection: __, host: ___, ...passed } = headers;
    const { status } = await fetch(url, {
      method: 'POST',
      headers: Object.entries(passed).map(([name, value]): [string, string] => [name, String(value)]),
      body: new Uint8Array(body),
    });
    if (answered) response.writeHead(status).end();
    else response.destroy();
  };
}

/** Passes a delivery on, and closes the connection in place of an answer. */
const lostAnswer = (url: string) => passedOn(url, false);
