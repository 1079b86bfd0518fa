import { expect, test } from 'vitest';
import { ComparisonLimit } from '../../src/accounts/comparison-limit.ts';
import { auditTrail } from '../support/audit-trail.ts';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';

const otherToken = secretText('the-token-of-ann');
const reader = secretText('the-token-of-a-reader');
const gateway = useGateway({
  worker: false,
  adminTokens: [
    { name: 'ann', token: otherToken },
    { name: 'rita', token: reader, role: 'read' },
  ],
});

const compare = async (id: string, body: unknown, token = gateway.adminToken) => {
  const answer = await fetch(`${gateway.baseUrl}/admin/accounts/${id}/secrets/compare`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-admin-token': token },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests check the fields of answers
  const read: any = await answer.json();
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: read };
};

/** An account with a consumer of each authentication with one secret, and two destinations. */
async function accountWithSecrets() {
  const account = await gateway.admin.createAccount({
    signing_secret_current: secretText('signing'),
    delivery_secret: secretText('delivery'),
    delivery_url: 'https://user:pass@consumer.example/hook',
  });
  const path = `/admin/accounts/${account.id}`;
  const made = [
    await gateway.admin.post(`${path}/consumers`, {
      ...{ name: 'billing', url: 'https://u:p@billing.example/hook', secret: secretText('of billing') },
      authentication: { type: 'bearer', token: secretText('bearer-token') },
    }),
    await gateway.admin.request('PATCH', `${path}/consumers/default`, {
      authentication: { type: 'basic', username: 'user', password: secretText('basic') },
    }),
    await gateway.admin.post(`${path}/destinations`, {
      ...{ destination_type: 'webhook', name: 'hook' },
      config: { url: 'https://people.example/hook', secret: secretText('of hook') },
    }),
    await gateway.admin.post(`${path}/destinations`, {
      ...{ destination_type: 'chat_one', name: 'chat' },
      config: { webhook_url: 'https://chat.example/T0/secret-path' },
    }),
  ];
  const [, , hook, chat] = made;
  expect(made.map(({ status }) => status)).toEqual([201, 200, 201, 201]);
  return { account, hook: hook?.body.id, chat: chat?.body.id };
}

test('secrets of account, consumers and destinations are compared, and only the differing ones are named', async () => {
  const { account, hook, chat } = await accountWithSecrets();
  const right = {
    account: {
      signing_secret_current: secretText('signing'),
      delivery_secret: secretText('delivery'),
      delivery_url: 'https://user:pass@consumer.example/hook',
    },
    consumers: {
      billing: {
        ...{ url: 'https://u:p@billing.example/hook', secret: secretText('of billing') },
        token: secretText('bearer-token'),
      },
      default: { password: secretText('basic') },
    },
    destinations: {
      [hook]: { secret: secretText('of hook'), url: 'https://people.example/hook' },
      [chat]: { webhook_url: 'https://chat.example/T0/secret-path' },
    },
  };
  expect(await compare(account.id, right)).toMatchObject({ status: 200, body: { differ: [] } });
  expect(await compare(account.id, {})).toMatchObject({ status: 200, body: { differ: [] } });
  const wrong = {
    account: { ...right.account, delivery_secret: 'other', delivery_url: 'https://user:other@consumer.example/hook' },
    consumers: {
      ...right.consumers,
      billing: { secret: 'other', token: secretText('bearer-token') },
      none: { secret: '' },
    },
    destinations: { [hook]: { secret: secretText('of hook') }, [chat]: { webhook_url: 'https://chat.example/' } },
  };
  expect((await compare(account.id, wrong)).body.differ).toEqual([
    ...['account.delivery_secret', 'account.delivery_url'],
    ...['consumers.billing.secret', 'consumers.none.secret', `destinations.${chat}.webhook_url`],
  ]);
});

test('a comparison has an audit entry with names of secrets, and no value', async () => {
  const { account } = await accountWithSecrets();
  const entries = auditTrail(gateway.database);
  await entries();
  await compare(account.id, { account: { delivery_secret: 'canary' }, consumers: { 'made-up': { secret: 'canary' } } });
  const [entry] = await entries();
  expect(entry).toMatchObject({
    ...{ action: 'account.compare_secrets', actor: 'tester' },
    details: { account_id: account.id, compared: ['account.delivery_secret'], differ: 2 },
  });
  expect(JSON.stringify(entry)).not.toMatch(/canary|made-up/);
});

test('only the role admin may compare, and an unknown account or field is refused', async () => {
  const account = await gateway.admin.createAccount({});
  expect(await compare(account.id, {}, reader)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  expect(await compare('01900000-0000-7000-8000-000000000000', {})).toMatchObject({ status: 404 });
  expect(await compare(account.id, { account: { app_key: 'x' } })).toMatchObject({
    ...{ status: 422, body: { errors: [{ path: 'account.app_key' }] } },
  });
});

test('a token compares ten times a minute; another token is not affected', async () => {
  const account = await gateway.admin.createAccount({});
  const statuses: number[] = [];
  for (let n = 0; n < 10; n += 1) statuses.push((await compare(account.id, {}, otherToken)).status);
  expect(statuses).toEqual(Array(10).fill(200));
  const refused = await compare(account.id, {}, otherToken);
  expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_calls' } });
  expect(Number(refused.retryAfter)).toBeGreaterThan(0);
  expect((await compare(account.id, {})).status).toBe(200);
});

test('a token may compare again after a minute', () => {
  let now = 1;
  const limit = new ComparisonLimit({ now: () => now });
  for (let n = 0; n < 10; n += 1) limit.take('ann');
  now = 59_500;
  expect(() => limit.take('ann')).toThrow('try again in 1 seconds');
  now = 61_000;
  limit.take('ann');
});
