import { describe, expect, test } from 'vitest';
import { instantDelaysMs } from '../support/gateway.ts';
import { secretText } from '../support/secrets.ts';
import { useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';

// How a consumer is reached (docs/several-consumers.md): in an api that delivers, and by workflows alone.

describe.each([['an api'], ['workflows']])('with first attempts by %s', (by) => {
  const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers: by === 'an api' });

  async function account(options: object, name = 'default', url?: string) {
    const created = await stage.gateway.admin.createAccount(name === 'default' ? { delivery_url: url } : {});
    const { request } = stage.gateway.admin;
    const path = `/admin/accounts/${created.id}/consumers`;
    const set = await (name === 'default'
      ? request('PATCH', `${path}/default`, options)
      : request('POST', path, { name, url, ...options }));
    expect([200, 201], JSON.stringify(set.body)).toContain(set.status);
    return created;
  }
  const eventOf = async (sent: { provider: string; account_slug: string }) => {
    const answer = await stage.gateway.send(sent, '{"id":1}');
    const { body } = await until('the event is settled', async () => {
      const found = await stage.gateway.admin.request('GET', `/admin/events/${answer.body.id}`);
      return found.body.delivery_status === 'pending' ? null : found;
    });
    return body;
  };

  test.each(['default', 'billing'])('%s gets its headers and its authentication', async (name) => {
    const receiver = await stage.consumer();
    const { username, password } = { username: 'gateway', password: `${secretText('basic')} ü` };
    const authentication = { type: 'basic', username, password };
    const options = { headers: { 'X-Team': 'billing', 'user-agent': 'gateway/1' }, authentication };
    expect(await eventOf(await account(options, name, receiver.url))).toMatchObject({ delivery_status: 'delivered' });
    expect(receiver.deliveries[0]?.headers).toMatchObject({
      ...{ 'x-team': 'billing', 'user-agent': 'gateway/1', 'x-webhook-consumer': name },
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    });
  });

  test('a bearer token takes the place of user and password of the URL, a header with a secret does not', async () => {
    const [bearer, header] = [await stage.consumer(), await stage.consumer()];
    const withUser = (url: string) => url.replace('http://', `http://user:${secretText('user')}@`);
    await eventOf(
      await account({ authentication: { type: 'bearer', token: secretText('token') } }, 'one', withUser(bearer.url)),
    );
    expect(bearer.deliveries[0]?.headers.authorization).toBe(`Bearer ${secretText('token')}`);
    const authentication = { type: 'header', name: 'X-Api-Key', value: secretText('key') };
    await eventOf(await account({ authentication }, 'one', withUser(header.url)));
    expect(header.deliveries[0]?.headers).toMatchObject({
      'x-api-key': secretText('key'),
      authorization: `Basic ${Buffer.from(`user:${secretText('user')}`).toString('base64')}`,
    });
  });

  test('a status of `success` delivers, and an exception of it fails', async () => {
    const [found, accepted] = [await stage.consumer(302), await stage.consumer(202)];
    const success = ['2xx', '302', '!202'];
    expect(await eventOf(await account({ success }, 'one', found.url))).toMatchObject({
      ...{ delivery_status: 'delivered', attempts: 1, response_code: 302, last_error: null },
    });
    expect(await eventOf(await account({ success }, 'default', accepted.url))).toMatchObject({
      ...{ status: 'failed', delivery_status: 'failed', response_code: 202 },
      last_error: expect.stringContaining('answered 202'),
    });
  });

  test('a final status ends the event at once, with its notifications, unless it is a success', async () => {
    const [gone, again] = [await stage.consumer(410), await stage.consumer(503, 410)];
    const options = { final: ['410', '4xx', '!429'] };
    const first = await account(options, 'one', gone.url);
    const told = await stage.consumer();
    const destination = { name: 'told', destination_type: 'webhook', config: { url: told.url } };
    const created = await stage.gateway.admin.post(`/admin/accounts/${first.id}/destinations`, destination);
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    expect(await eventOf(first)).toMatchObject({
      status: 'failed',
      delivery_status: 'failed',
      attempts: 1,
      next_attempt_at: null,
    });
    await until('the destination is notified', () => Promise.resolve(told.deliveries.length === 1));
    expect(gone.deliveries).toHaveLength(1);
    expect(await eventOf(await account(options, 'default', again.url))).toMatchObject({
      delivery_status: 'failed',
      attempts: 2,
    });
    const both = await stage.consumer(410);
    const wins = await account({ ...options, success: ['410'] }, 'one', both.url);
    expect(await eventOf(wins)).toMatchObject({ delivery_status: 'delivered', attempts: 1 });
  });

  test.each([0, 4])('with %i delays, it gets one attempt more', async (delays) => {
    const receiver = await stage.consumer(500);
    const schedule = Array.from({ length: delays }, () => '1ms');
    const event = await eventOf(await account({ schedule }, delays === 0 ? 'one' : 'default', receiver.url));
    expect(event).toMatchObject({ status: 'failed', delivery_status: 'failed', attempts: delays + 1 });
    expect(receiver.deliveries).toHaveLength(delays + 1);
    expect(receiver.deliveries.at(-1)?.headers['x-webhook-attempt']).toBe(String(delays + 1));
  });

  test('after a final status, a replay makes new attempts', async () => {
    const receiver = await stage.consumer(410, 200);
    const event = await eventOf(await account({ final: ['410'] }, 'one', receiver.url));
    expect(event.delivery_status).toBe('failed');
    expect((await stage.gateway.admin.post(`/admin/events/${event.id}/replay`)).status).toBe(202);
    await until('it is delivered', async () => {
      const { body } = await stage.gateway.admin.request('GET', `/admin/events/${event.id}`);
      return body.delivery_status === 'delivered';
    });
  });

  test('the timeout of a consumer is shorter than the usual one', async () => {
    const receiver = await stage.consumer(() => undefined);
    const sent = await account({ timeout: '1s', final: ['410'] }, 'one', receiver.url);
    const answer = await stage.gateway.send(sent, '{"id":1}');
    const { body } = await until('an attempt has failed', async () => {
      const found = await stage.gateway.admin.request('GET', `/admin/events/${answer.body.id}`);
      return found.body.last_error === null ? null : found;
    });
    expect(body.last_error).toContain('within 1 s');
  });
});
