import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { secretText } from '../support/secrets.ts';
import { storeConfig } from '../support/store-config.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });

const secret = secretText('signing');
let made = 0;

/** The `provider_config` of a sender that signs `signed`. */
function configOf(signed: string, more: Record<string, unknown> = {}) {
  const time = signed.includes('{timestamp}') ? { timestamp_header: 'X-Time' } : {};
  return { header: 'X-Signature', signed, event_id_header: 'X-Id', ...time, ...more };
}

const create = (provider_config: Record<string, unknown>) =>
  gateway.admin.post('/admin/accounts', {
    ...{ provider: 'hmac', account_slug: `signed.${++made}`, app_key: 'tests' },
    ...{ signing_secret_current: secret, provider_config },
  });

/** An account whose config was stored before the rule about signed texts. */
async function olderAccount(signed: string, more?: Record<string, unknown>) {
  const { body: account } = await create(configOf('{body}'));
  await storeConfig(gateway, account.id, configOf(signed, more));
  return account;
}

const digest = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
const seconds = () => Math.floor(Date.now() / 1000);

interface Webhook {
  id?: string;
  time?: string;
  query?: string;
  body: string;
}

/** The status of a webhook with the signature of `text`. */
async function statusOf(account: { provider: string; account_slug: string }, text: string, sent: Webhook) {
  const { id = '', time = '', query = '', body } = sent;
  const headers = { 'x-signature': digest(text), 'x-id': id, 'x-time': time };
  return (await gateway.send(account, body, headers, query)).status;
}

describe('a signed text that can be read in one way only is accepted', () => {
  test.each([
    '{body}',
    '{body}{body}',
    '{timestamp}.{body}',
    '{timestamp}{body}',
    '{body}{timestamp}',
    '{id} {body}',
    '{id}\n{body}',
    '{"id":"{id}","body":{body}}',
    '{"id":{id}, "body":{body}}',
    '{id}.{timestamp}.{body}',
    '{id}.{timestamp}{body}',
    '{timestamp}.{id}.{timestamp}.{body}',
    '{body}.{timestamp}.{id}',
    '{body}\n{id}',
    'POST\n{path}\n{body}',
    'POST {url} {body}',
    '{path}#{id} {timestamp}{body}',
    '{body}\n{url}',
  ])('%j', async (signed) => expect((await create(configOf(signed))).status).toBe(201));
});

describe('a signed text that can be read in several ways is refused', () => {
  const missingAfter = (name: string, characters: string) =>
    `must have ${characters} after {${name}}, or {timestamp} and text other than digits, as in {${name}}.{timestamp}.{body}; otherwise a signature that was seen once would be valid for another body`;
  const missingBefore = (name: string, characters: string) =>
    `must have ${characters} before {${name}}, or {timestamp} and text other than digits, as in {body}.{timestamp}.{${name}}; otherwise a signature that was seen once would be valid for another body`;
  const ofIds = 'a line break, a space, a quote, a bracket or a brace';
  const ofPaths = 'a line break, a space or #';
  test.each([
    ['{id}.{body}', missingAfter('id', ofIds)],
    ['{id}{body}', missingAfter('id', ofIds)],
    ['{id}é{body}', missingAfter('id', ofIds)],
    ['{id}€{body}', missingAfter('id', ofIds)],
    ['{id}{timestamp}{body}', missingAfter('id', ofIds)],
    ['{id}{timestamp}1{body}', missingAfter('id', ofIds)],
    ['{id}{path}\n{body}', missingAfter('id', ofIds)],
    ['{body}|{id}', missingBefore('id', ofIds)],
    ['{path}.{body}', missingAfter('path', ofPaths)],
    ['{path}"{body}', missingAfter('path', ofPaths)],
    ['{url}{body}', missingAfter('url', ofPaths)],
    ['{body}{url}', missingBefore('url', ofPaths)],
    ['{body}\n{id}\n{body}', 'must not have {id} between two {body}; put it before or after them'],
  ])('%j', async (signed, message) => {
    const errors = [{ path: 'provider_config.signed', message }];
    expect(await create(configOf(signed))).toMatchObject({ status: 422, body: { code: 'invalid', errors } });
  });

  test('also when it replaces another one', async () => {
    const { body: account } = await create(configOf('{body}'));
    const change = { provider_config: { signed: '{id}.{body}' } };
    const answer = await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, change);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: 'provider_config.signed' }] } });
  });
});

describe('a signature that was seen is not valid for another body', () => {
  test('{id}.{body} of an older account: the end of the id cannot be moved into the body', async () => {
    const account = await olderAccount('{id}.{body}');
    const text = 'm1.q.{"amount":1}';
    expect(await statusOf(account, text, { id: 'm1', body: 'q.{"amount":1}' })).toBe(202);
    expect(await statusOf(account, text, { id: 'm1.q', body: '{"amount":1}' })).toBe(401);
  });

  test('{path}.{body} of an older account: the end of the query cannot be moved into the body', async () => {
    const account = await olderAccount('{path}.{body}');
    const path = `/hmac/${account.account_slug}`;
    const text = `${path}.?a=1.{"amount":1}`;
    expect(await statusOf(account, text, { body: '?a=1.{"amount":1}' })).toBe(202);
    const other = `${path}?a=1.q.{"amount":1}`;
    expect(await statusOf(account, other, { query: '?a=1', body: 'q.{"amount":1}' })).toBe(202);
    expect(await statusOf(account, other, { query: '?a=1.q', body: '{"amount":1}' })).toBe(401);
  });

  test('{body}{timestamp}: a digit cannot be moved between body and time', async () => {
    const { body: account } = await create(configOf('{body}{timestamp}'));
    const time = String(seconds());
    expect(await statusOf(account, `10${time}`, { body: '10', time })).toBe(202);
    expect(await statusOf(account, `10${time}`, { body: '1', time: `0${time}` })).toBe(401);
    expect(await statusOf(account, `10${time}`, { body: '', time: `10${time}` })).toBe(401);
  });

  test('{timestamp}{body} in milliseconds: the time has 13 digits', async () => {
    const { body: account } = await create(configOf('{timestamp}{body}', { timestamp_unit: 'milliseconds' }));
    const time = String(Date.now());
    expect(await statusOf(account, `${time}{}`, { body: '{}', time })).toBe(202);
    expect(await statusOf(account, `0${time}{}`, { body: '{}', time: `0${time}` })).toBe(401);
  });

  test('{id}.{timestamp}..{body}: an id cannot end within the text after the time', async () => {
    const { body: account } = await create(configOf('{id}.{timestamp}..{body}'));
    const [first, time] = [seconds() - 100, String(seconds())];
    const text = `m.1.${first}..${time}..{}`;
    expect(await statusOf(account, text, { id: 'm.1', time: String(first), body: `${time}..{}` })).toBe(202);
    expect(await statusOf(account, text, { id: `m.1.${first}.`, time, body: '{}' })).toBe(401);
  });
});

describe('older accounts go on', () => {
  test('without text between, if the neighbour of an id cannot be part of it', async () => {
    const joined = await olderAccount('{id}{body}');
    expect(await statusOf(joined, 'm.1{"a":1}', { id: 'm.1', body: '{"a":1}' })).toBe(202);
    expect(await statusOf(joined, 'm.1a=1', { id: 'm.1', body: 'a=1' })).toBe(401);
    const behind = await olderAccount('{body}{id}');
    expect(await statusOf(behind, '{"a":1}m.1', { id: 'm.1', body: '{"a":1}' })).toBe(202);
    expect(await statusOf(behind, 'a=1m.1', { id: 'm.1', body: 'a=1' })).toBe(401);
  });

  test.each(['{path}{body}', '{body}{path}'])('%s: an address without a query', async (signed) => {
    const account = await olderAccount(signed);
    const path = `/hmac/${account.account_slug}`;
    const text = (query: string) => signed.replace('{path}', path + query).replace('{body}', '{"a":1}');
    expect(await statusOf(account, text(''), { body: '{"a":1}' })).toBe(202);
    expect(await statusOf(account, text('?a=1'), { query: '?a=1', body: '{"a":1}' })).toBe(401);
  });

  test('and their other settings can be changed', async () => {
    const account = await olderAccount('{id}.{body}');
    const patch = (provider_config: Record<string, unknown>) =>
      gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, { provider_config });
    expect(await patch({ prefix: 'v1=', signed: '{id}.{body}' })).toMatchObject({ status: 200 });
    expect(await patch({ signed: '{id}:{body}' })).toMatchObject({ status: 422 });
    expect(await patch({ signed: '{id} {body}' })).toMatchObject({ status: 200, body: { warnings: [] } });
  });

  test('and say why their settings would be refused today', async () => {
    const account = await olderAccount('{id}.{body}');
    const { body } = await gateway.admin.request('GET', `/admin/accounts/${account.id}`);
    expect(body.warnings).toEqual([{ path: 'provider_config.signed', message: expect.stringContaining('after {id}') }]);
  });
});
