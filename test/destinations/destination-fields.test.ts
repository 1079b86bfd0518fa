import { beforeEach, describe, expect, test } from 'vitest';
import { chat, hook, mail, setUpDestinations } from '../support/destination-client.ts';
import { rawRequest } from '../support/raw-http.ts';

const setup = setUpDestinations();
let ids: { webhook: string; email: string; chat_one: string };
let before: unknown;
beforeEach(async () => {
  ids = {
    webhook: (await setup.client.create(setup.account_id, hook)).id,
    email: (await setup.client.create(setup.account_id, mail)).id,
    chat_one: (await setup.client.create(setup.account_id, chat)).id,
  };
  before = await setup.client.listed(setup.account_id);
});

const whole = { webhook: hook, email: mail, chat_one: chat };
type Type = keyof typeof whole;
type Fields = Record<string, unknown>;

const base = () => `/admin/accounts/${setup.account_id}/destinations`;
const post = (body: unknown) => setup.gateway.admin.post(base(), body);
const patch = (type: Type, body: unknown) => setup.gateway.admin.request('PATCH', `${base()}/${ids[type]}`, body);
const both = (type: Type, fields: Fields) => [() => post({ ...whole[type], ...fields }), () => patch(type, fields)];

const x = (length: number) => 'x'.repeat(length);
/** A condition of this length, valid if that is within the limit. */
const conditionOf = (length: number) => `event_type == "${x(length - 16)}"`;
const urlOf = (length: number) => 'https://a.test/'.padEnd(length, 'x');
const address = 'someone@ops.example';
const longest = `${x(64)}@${x(63)}.${x(63)}.${x(53)}.example`;

describe('at its limit, on create and on change:', () => {
  test.each<[type: Type, fields: Fields]>([
    ['webhook', { name: 'n' }],
    ['webhook', { name: x(200) }],
    ['webhook', { name: '😀 <script>' }],
    ['webhook', { condition: conditionOf(1000) }],
    ['webhook', { condition: null }],
    ['email', { condition: 'delivery_failed and event_type.startswith("order.")' }],
    ['chat_one', { condition: " NOT (provider in ['a', '😀']\n)" }],
    ['webhook', { position: -2_147_483_648 }],
    ['webhook', { position: 2_147_483_647 }],
    ['webhook', { kinds: ['incident.opened', 'incident.resolved'] }],
    ['email', { kinds: ['delivery.failed', 'incident.opened', 'incident.resolved'] }],
    ['webhook', { config: { url: urlOf(500), secret: x(1000) } }],
    ['webhook', { config: { url: 'HTTP://LOCALHOST:1/ü?q#f' } }],
    ['email', { config: { addresses: Array(50).fill(address) } }],
    ['email', { config: { addresses: [longest], include_payload: true } }],
    ['chat_one', { config: { webhook_url: urlOf(500) } }],
  ])('%s %j', async (type, fields) => {
    for (const call of both(type, fields)) {
      const { status, body } = await call();
      expect([200, 201]).toContain(status);
      const { secret, ...config } = Object(fields.config);
      expect(body).toMatchObject({ ...fields, ...(fields.config ? { config } : {}) });
      const stored = (await setup.client.listed(setup.account_id)).find(({ id }) => id === body.id);
      expect(stored).toEqual(body);
    }
  });
});

describe('invalid on create and on change, with the path of the field:', () => {
  test.each<[type: Type, fields: Fields, path: string]>([
    ['webhook', { name: '' }, 'name'],
    ['webhook', { name: x(201) }, 'name'],
    ['webhook', { name: 'a\0' }, 'name'],
    ['webhook', { name: 'a\ud800' }, 'name'],
    ['webhook', { name: null }, 'name'],
    ['webhook', { name: 7 }, 'name'],
    ['webhook', { name: ['n'] }, 'name'],
    ['webhook', { condition: conditionOf(1001) }, 'condition'],
    ['webhook', { condition: 'a\0' }, 'condition'],
    ['webhook', { condition: '\udc00' }, 'condition'],
    ['webhook', { condition: true }, 'condition'],
    ['webhook', { condition: '' }, 'condition'],
    ['webhook', { condition: ' \n' }, 'condition'],
    ['email', { condition: 'failed' }, 'condition'],
    ['chat_one', { condition: '('.repeat(1000) }, 'condition'],
    ['webhook', { enabled: 'true' }, 'enabled'],
    ['webhook', { enabled: null }, 'enabled'],
    ['webhook', { enabled: 1 }, 'enabled'],
    ['webhook', { position: 2_147_483_648 }, 'position'],
    ['webhook', { position: -2_147_483_649 }, 'position'],
    ['webhook', { position: 1e300 }, 'position'],
    ['webhook', { position: 1.5 }, 'position'],
    ['webhook', { position: '1' }, 'position'],
    ['webhook', { position: null }, 'position'],
    ['webhook', { kinds: [] }, 'kinds'],
    ['webhook', { kinds: null }, 'kinds'],
    ['webhook', { kinds: 'incident.opened' }, 'kinds'],
    ['webhook', { kinds: ['incident.opened', 'incident.opened'] }, 'kinds'],
    ['webhook', { kinds: ['incident.opened', 'incident.closed'] }, 'kinds.1'],
    ['webhook', { kinds: [null] }, 'kinds.0'],
    ['webhook', { destination_type: 'sms' }, 'destination_type'],
    ['webhook', { destination_type: null }, 'destination_type'],
    ['webhook', { destination_type: 'constructor' }, 'destination_type'],
    ['webhook', { id: 'mine' }, 'id'],
    ['webhook', { account_id: 'other' }, 'account_id'],
    ['webhook', { created_at: '2026-01-01T00:00:00Z' }, 'created_at'],
    ['webhook', { config: null }, 'config'],
    ['webhook', { config: 'https://a.test/' }, 'config'],
    ['webhook', { config: [] }, 'config'],
    ['webhook', { config: { url: null } }, 'config.url'],
    ['webhook', { config: { url: '' } }, 'config.url'],
    ['webhook', { config: { url: urlOf(501) } }, 'config.url'],
    ['webhook', { config: { url: '/hook' } }, 'config.url'],
    ['webhook', { config: { url: 'ftp://a.test/' } }, 'config.url'],
    ['webhook', { config: { url: 'https://a.test/\0' } }, 'config.url'],
    ['webhook', { config: { url: 'https://a.test/\ud800' } }, 'config.url'],
    ['webhook', { config: { url: urlOf(20), secret: x(1001) } }, 'config.secret'],
    ['webhook', { config: { url: urlOf(20), secret: 'a\0' } }, 'config.secret'],
    ['webhook', { config: { url: urlOf(20), secret: 71234567 } }, 'config.secret'],
    ['webhook', { config: { url: urlOf(20), has_secret: true } }, 'config.has_secret'],
    ['webhook', { config: { url: urlOf(20), addresses: [address] } }, 'config.addresses'],
    ['email', { config: { addresses: null } }, 'config.addresses'],
    ['email', { config: { addresses: address } }, 'config.addresses'],
    ['email', { config: { addresses: [] } }, 'config.addresses'],
    ['email', { config: { addresses: Array(51).fill(address) } }, 'config.addresses'],
    ['email', { config: { addresses: [address, 'someone'] } }, 'config.addresses.1'],
    ['email', { config: { addresses: [null] } }, 'config.addresses.0'],
    ['email', { config: { addresses: ['a@ops.example\nBcc: b@ops.example'] } }, 'config.addresses.0'],
    ['email', { config: { addresses: ['a@ops.example\r\n'] } }, 'config.addresses.0'],
    ['email', { config: { addresses: ['a@ops.example\0'] } }, 'config.addresses.0'],
    ['email', { config: { addresses: ['a\ud800@ops.example'] } }, 'config.addresses.0'],
    ['email', { config: { addresses: ['a@ops.example, b@ops.example'] } }, 'config.addresses.0'],
    ['email', { config: { addresses: [`x${longest}`] } }, 'config.addresses.0'],
    ['email', { config: { addresses: [address], include_payload: 'no' } }, 'config.include_payload'],
    ['chat_one', { config: { webhook_url: 'javascript:alert(1)' } }, 'config.webhook_url'],
    ['chat_one', { config: { webhook_url: urlOf(501) } }, 'config.webhook_url'],
    ['chat_one', { config: { webhook_url: urlOf(20), url: urlOf(20) } }, 'config.url'],
    ['chat_one', { config: { webhook_url: urlOf(20), secret: '71234567' } }, 'config.secret'],
  ])('%s %j', async (type, fields, path) => {
    for (const call of both(type, fields)) {
      const answer = await call();
      expect(answer).toMatchObject({ status: 422, body: { code: 'invalid', status: 422, type: 'about:blank' } });
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      const paths = answer.body.errors.map((error: { path: string }) => error.path);
      expect(paths).toContain(path);
      expect(JSON.stringify(answer.body)).not.toContain('71234567');
    }
    expect(await setup.client.listed(setup.account_id)).toEqual(before);
  });

  test('a condition: the error has line, column and what was expected there', async () => {
    const message = 'line 2, column 18: expected a text in quotes, found 5';
    for (const call of both('webhook', { condition: 'delivery_failed\n and provider == 5' })) {
      const answer = await call();
      expect(answer).toMatchObject({ status: 422, body: { code: 'invalid', detail: `condition: ${message}` } });
      expect(answer.body.errors).toEqual([{ path: 'condition', message }]);
    }
    expect(await setup.client.listed(setup.account_id)).toEqual(before);
  });

  test.each(['destination_type', 'name', 'config'])('create without %s', async (missing) => {
    for (const body of [
      { ...hook, [missing]: undefined },
      { ...mail, [missing]: undefined },
    ]) {
      const answer = await post(body);
      expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: missing, message: 'is required' }] } });
    }
  });
  test.each<[Type, string]>([
    ['webhook', 'config.url'],
    ['email', 'config.addresses'],
    ['chat_one', 'config.webhook_url'],
  ])('create of a %s with an empty config', async (type, path) => {
    expect(await post({ ...whole[type], config: {} })).toMatchObject({
      status: 422,
      body: { errors: [{ path, message: 'is required' }] },
    });
  });
  test('one answer lists all errors', async () => {
    const answer = await post({ destination_type: 'webhook', config: { url: 'x', more: 1 }, position: 'p', extra: 1 });
    const paths = answer.body.errors.map((error: { path: string }) => error.path);
    expect(paths.toSorted()).toEqual(['config.more', 'config.url', 'extra', 'name', 'position']);
  });
  test('a query parameter', async () => {
    for (const [method, path, body] of [
      ['GET', base()],
      ['POST', base(), chat],
      ['PATCH', `${base()}/${ids.webhook}`, {}],
      ['DELETE', `${base()}/${ids.webhook}`],
    ] as const)
      expect(await setup.gateway.admin.request(method, `${path}?dry_run=1`, body)).toMatchObject({
        ...{ status: 422, body: { errors: [{ path: 'dry_run' }] } },
      });
    expect(await setup.client.listed(setup.account_id)).toEqual(before);
  });
});

describe.each(['POST', 'PATCH'])('bodies of %s', (method) => {
  const raw = (type: string | null, body: string | Uint8Array) =>
    rawRequest(setup.gateway.baseUrl, {
      ...{ method, body, path: method === 'POST' ? base() : `${base()}/${ids.webhook}` },
      headers: { 'x-admin-token': setup.gateway.adminToken, ...(type === null ? {} : { 'content-type': type }) },
    });
  const json = 'application/json';
  test.each<[name: string, type: string | null, body: string | Uint8Array, status: number, code: string]>([
    ['half an object', json, '{"name":', 400, 'malformed_json'],
    ['two objects', json, '{}{}', 400, 'malformed_json'],
    ['invalid UTF-8', json, Buffer.from('7b226e616d65223a22ff227d', 'hex'), 400, 'malformed_json'],
    ['nothing', json, '', 422, 'invalid'],
    ['null', json, 'null', 422, 'invalid'],
    ['a list', json, JSON.stringify([hook]), 422, 'invalid'],
    ['a prototype', json, '{"__proto__":{"name":"a"}}', 422, 'invalid'],
    ['a prototype in the config', json, '{"config":{"__proto__":{"url":"https://a.test"}}}', 422, 'invalid'],
    ['depth', json, `{"config":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 422, 'invalid'],
    ['300 KiB', json, JSON.stringify({ name: x(300 * 1024) }), 413, 'payload_too_large'],
    ['no type', null, JSON.stringify(hook), 415, 'unsupported_media_type'],
    ['text', 'text/plain', JSON.stringify(hook), 415, 'unsupported_media_type'],
    ['a form', 'application/x-www-form-urlencoded', 'name=a', 415, 'unsupported_media_type'],
  ])('%s', async (_name, type, body, status, code) => {
    const answer = await raw(type, body);
    expect(answer).toMatchObject({ status, body: { code, status } });
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(await setup.client.listed(setup.account_id)).toEqual(before);
  });
});
