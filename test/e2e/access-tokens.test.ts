import { describe, expect, test } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import type { Reply } from '../support/consumer.ts';
import { instantDelaysMs } from '../support/gateway.ts';
import { attemptsOf } from '../support/history.ts';
import { secretText } from '../support/secrets.ts';
import { oidcServer } from '../support/services/oidc.ts';
import { useStage } from '../support/situations.ts';

// Deliveries with access tokens (docs/several-consumers.md#access-tokens), with a real OAuth 2 server.

const secret = secretText('client-secret-of-the-gateway');
const bearerOf = (headers: { authorization?: string | undefined }) =>
  headers.authorization?.replace('Bearer ', '') ?? '';

describe.each([['an api'], ['workflows']])('with first attempts by %s', (by) => {
  const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers: by === 'an api' });

  /** An account whose only consumer wants tokens, and answers 401 without a valid one. */
  async function accountWith(server: Awaited<ReturnType<typeof oidcServer>>, more: object = {}, after: Reply = 200) {
    const receiver = await stage.consumer((response, { headers }) => {
      void server.isValid(bearerOf(headers)).then((valid) => {
        if (!valid) response.writeHead(401).end(`not accepted: ${bearerOf(headers)}`);
        else if (typeof after === 'number') response.writeHead(after).end();
        else after(response, { headers, rawHeaders: [], url: '', body: Buffer.alloc(0), atMs: 0 });
      });
    });
    const account = await stage.gateway.admin.createAccount({});
    const authentication = {
      ...{ type: 'oauth2', token_url: server.tokenUrl, client_id: 'gateway', client_secret: secret, ...more },
    };
    const consumers = consumersOf(stage.gateway, account.id);
    const consumer = await consumers.made('billing', { url: receiver.url, authentication });
    return { account, receiver, consumers, consumer };
  }
  async function settled(account: { provider: string; account_slug: string }, body = '{"id":1}') {
    const { body: sent } = await stage.gateway.send(account, body);
    return stage.gateway.admin.eventually(sent.id, (e) => e.delivery_status !== 'pending');
  }

  test.each([
    ['basic', 'client_secret_basic'],
    ['body', 'client_secret_post'],
  ] as const)('deliveries share one token; its client names itself by %s', async (clientAuth, auth) => {
    const server = await oidcServer([{ id: 'gateway', secret, auth }]);
    const { account, receiver, consumer } = await accountWith(server, {
      client_auth: clientAuth,
      scope: 'hooks:write',
    });
    expect(consumer.authentication).toEqual({
      ...{ type: 'oauth2', token_url: server.tokenUrl, client_id: 'gateway', client_auth: clientAuth },
      scope: 'hooks:write',
    });
    const events = await Promise.all(Array.from({ length: 20 }, (_, id) => settled(account, JSON.stringify({ id }))));
    expect(events.map((event) => [event.delivery_status, event.attempts])).toEqual(events.map(() => ['delivered', 1]));
    expect(receiver.deliveries).toHaveLength(20);
    // Attempts are made by several processes, each of which has tokens of its own.
    expect(new Set(server.asked)).toEqual(new Set(['gateway hooks:write']));
    expect(server.asked.length).toBe(new Set(receiver.deliveries.map(({ headers }) => bearerOf(headers))).size);
  });

  test('a revoked token is renewed within the same attempt', async () => {
    const server = await oidcServer([{ id: 'gateway', secret, auth: 'client_secret_basic' }]);
    const { account, receiver } = await accountWith(server);
    await settled(account, '{"id":1}');
    await server.revoke(bearerOf(receiver.deliveries[0]?.headers ?? {}));
    const event = await settled(account, '{"id":2}');
    expect(attemptsOf(event)).toEqual(['0 schedule 1 delivered']);
    expect(receiver.deliveries).toHaveLength(3);
  });

  test('a consumer that refuses every token fails with its answer, in which the token is masked', async () => {
    const server = await oidcServer([{ id: 'gateway', secret, auth: 'client_secret_basic' }]);
    const { account, receiver } = await accountWith(server, {}, (response, { headers }) =>
      response.writeHead(401, { 'x-echo': bearerOf(headers) }).end(`no: ${bearerOf(headers)}`),
    );
    const event = await settled(account);
    expect(event).toMatchObject({ delivery_status: 'failed', response_code: 401 });
    const bodies = event.delivery_history.map(({ response_body }: { response_body: string }) => response_body);
    expect(new Set(bodies)).toEqual(new Set(['no: [masked]']));
    for (const { request_headers, response_headers } of event.delivery_history) {
      expect(request_headers).toContainEqual(['authorization', '[masked]']);
      expect(response_headers).toContainEqual(['x-echo', '[masked]']);
    }
    // Each process renews the token once, and leaves it then.
    const renewals = receiver.deliveries.length - event.attempts;
    expect([1, 2]).toContain(renewals);
  });

  test('an attempt whose second token cannot be had shows what was sent with the first', async () => {
    const server = await oidcServer([{ id: 'gateway', secret, auth: 'client_secret_basic' }]);
    const { account, receiver } = await accountWith(server);
    await settled(account, '{"id":1}');
    await server.revoke(bearerOf(receiver.deliveries[0]?.headers ?? {}));
    server.goAway();
    const { delivery_history } = await settled(account, '{"id":2}');
    expect(receiver.deliveries).toHaveLength(2);
    expect(delivery_history[0]).toMatchObject({
      ...{ outcome: 'token_error', error: expect.stringContaining('after the consumer has answered 401') },
      ...{ connect_ms: expect.any(Number), response_code: null, response_headers: null },
    });
    expect(delivery_history[0].request_headers).toContainEqual(['authorization', '[masked]']);
    // Without a token, there is nothing to send.
    expect(delivery_history.at(-1)).toMatchObject({ outcome: 'token_error', connect_ms: null, request_headers: null });
  });

  test('a wrong secret is a failed attempt with the reason, and the consumer gets nothing', async () => {
    const server = await oidcServer([{ id: 'gateway', secret, auth: 'client_secret_basic' }]);
    const { account, receiver, consumers } = await accountWith(server, { client_secret: secretText('a-wrong-one') });
    const event = await settled(account);
    const { host } = new URL(server.tokenUrl);
    expect(event).toMatchObject({ delivery_status: 'failed', response_code: null });
    expect(event.last_error).toBe(`no access token: ${host} answered 401 Unauthorized: invalid_client`);
    expect(event.delivery_history[0]).toMatchObject({ outcome: 'token_error' });
    expect(receiver.deliveries).toHaveLength(0);
    const authentication = { type: 'oauth2', token_url: server.tokenUrl, client_id: 'gateway', client_secret: secret };
    await consumers.patch('billing', { authentication });
    expect((await settled(account, '{"id":2}')).delivery_status).toBe('delivered');
  });

  test('the test delivery tries the token, too, and names the step that failed', async () => {
    const server = await oidcServer([{ id: 'gateway', secret, auth: 'client_secret_basic' }]);
    const { account, consumers } = await accountWith(server);
    const tried = () =>
      stage.gateway.admin.post(`/admin/accounts/${account.id}/test-delivery`, { consumer: 'billing' });
    expect(await tried()).toMatchObject({ status: 200, body: { response_code: 200 } });
    const authentication = { type: 'oauth2', token_url: server.tokenUrl, client_id: 'unknown', client_secret: secret };
    await consumers.patch('billing', { authentication });
    expect((await tried()).body).toMatchObject({ code: 'delivery_unreachable', step: 'token' });
  });

  test('a test delivery whose second token cannot be had names the token as the step that failed', async () => {
    const server = await oidcServer([{ id: 'gateway', secret, auth: 'client_secret_basic' }]);
    const { account, receiver } = await accountWith(server);
    const tried = () =>
      stage.gateway.admin.post(`/admin/accounts/${account.id}/test-delivery`, { consumer: 'billing' });
    expect((await tried()).status).toBe(200);
    await server.revoke(bearerOf(receiver.deliveries[0]?.headers ?? {}));
    server.goAway();
    expect((await tried()).body).toMatchObject({ code: 'delivery_unreachable', step: 'token' });
    expect(receiver.deliveries).toHaveLength(2);
  });
});
