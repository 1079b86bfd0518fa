import { describe, expect, test } from 'vitest';
import { providerNames } from '../../src/providers/registry.ts';
import { rawRequest } from '../support/raw-http.ts';
import { useForAll } from '../support/use.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });
const account = useForAll(() => gateway.admin.createAccount({}));

let made = 0;
const required = () => ({ provider: 'generic', account_slug: `slug-${++made}`, app_key: 'tests' });
const create = (fields: Record<string, unknown>) => gateway.admin.post('/admin/accounts', { ...required(), ...fields });
const patch = (fields: unknown) => gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, fields);

const x = (length: number) => 'x'.repeat(length);
const url = (length: number) => 'https://a.test/'.padEnd(length, 'x');
const urlRule = 'must be an absolute http: or https: URL';
const providerRule = `must be one of: ${providerNames.join(', ')}`;
const slugRule = 'may contain only letters, digits and . _ ~ -, and must not be . or ..';
const textRule = 'must not contain NUL characters or lone surrogates';

test.each<[field: string, value: unknown]>([
  ['account_slug', 'a'],
  ['account_slug', x(100)],
  ['account_slug', 'AZaz09._~-'],
  ['account_slug', '..a'],
  ['account_slug', '...'],
  ['app_key', 'k'],
  ['app_key', x(50)],
  ['app_key', '😀 ключ'],
  ['org_id', x(100)],
  ['org_id', ''],
  ['delivery_url', url(500)],
  ['delivery_url', 'HTTP://LOCALHOST:1/ü?q#f'],
  ['delivery_url', 'http://[::1]/'],
  ['project_delivery_url', url(500)],
  ['project_id', x(100)],
])('%s = %j is accepted and stored', async (field, value) => {
  const created = await create({ [field]: value });
  expect(created).toMatchObject({ status: 201, body: { [field]: value } });
});

test.each<[field: string, value: unknown, message: string]>([
  ['provider', 'nope', providerRule],
  ['provider', '', providerRule],
  ['provider', null, providerRule],
  ['account_slug', '', 'must not be empty'],
  ['account_slug', x(101), 'must have 100 characters or fewer'],
  ['account_slug', 'a/b', slugRule],
  ['account_slug', 'a b', slugRule],
  ['account_slug', 'ä', slugRule],
  ['account_slug', 'a\n', slugRule],
  ['account_slug', '%41', slugRule],
  ['account_slug', '.', slugRule],
  ['account_slug', '..', slugRule],
  ['account_slug', null, 'must be a string'],
  ['app_key', '', 'must not be empty'],
  ['app_key', x(51), 'must have 50 characters or fewer'],
  ['app_key', 'a\0', textRule],
  ['app_key', 7, 'must be a string'],
  ['org_id', x(101), 'must have 100 characters or fewer'],
  ['org_id', '\ud800', textRule],
  ['org_id', {}, 'must be a string'],
  ['signing_secret_current', 1, 'must be a string'],
  ['signing_secret_current', 'a\0', textRule],
  ['signing_secret_previous', [], 'must be one text, not a list'],
  ['skip_signature_verification', 'true', 'must be a boolean'],
  ['skip_signature_verification', null, 'must be a boolean'],
  ['delivery_url', url(501), 'must have 500 characters or fewer'],
  ['delivery_url', '', 'must not be empty'],
  ['delivery_url', '/hook', urlRule],
  ['delivery_url', 'consumer.test/hook', urlRule],
  ['delivery_url', '//consumer.test/hook', urlRule],
  ['delivery_url', 'https:/consumer.test', urlRule],
  ['delivery_url', 'ftp://consumer.test/', urlRule],
  ['delivery_url', 'javascript:alert(1)', urlRule],
  ['delivery_url', 'http://', urlRule],
  ['delivery_url', 'http://a b/', urlRule],
  ['delivery_url', 'http://a:99999/', urlRule],
  ['delivery_url', 'https://a.test/\0', textRule],
  ['provider_config', [], 'must be a JSON object'],
  ['provider_config', '{}', 'must be a JSON object'],
  ['project_delivery_url', 'mailto:a@b.test', urlRule],
  ['project_id', x(101), 'must have 100 characters or fewer'],
  ['enabled', 1, 'must be a boolean'],
  ['enabled', null, 'must be a boolean'],
  ['id', '01900000-0000-7000-8000-000000000000', 'is not a known field'],
  ['deleted_at', null, 'is not a known field'],
  ['has_delivery_secret', true, 'is not a known field'],
  ['quoted"name, "other', 1, 'is not a known field'],
])('%s = %j is 422 on create and on change', async (field, value, message) => {
  for (const answer of [await create({ [field]: value }), await patch({ [field]: value })]) {
    expect(answer.status).toBe(422);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ code: 'invalid', status: 422 });
    expect(answer.body.errors).toContainEqual({ path: field, message });
    expect(answer.body.detail).toContain(`${field}: ${message}`);
  }
  expect((await gateway.admin.request('GET', `/admin/accounts/${account.id}`)).body).toEqual(account);
});

test('one answer lists all errors, and repeats no value', async () => {
  const answer = await gateway.admin.post('/admin/accounts', {
    account_slug: 'a/b',
    signing_secret_current: 71234567,
    delivery_url: 'ftp://do-not-repeat.test',
    extra: 'do-not-repeat',
  });
  expect(answer.body.errors).toHaveLength(6);
  expect(answer.body.errors).toEqual(
    expect.arrayContaining([
      { path: 'provider', message: 'is required' },
      { path: 'app_key', message: 'is required' },
      { path: 'account_slug', message: slugRule },
      { path: 'signing_secret_current', message: 'must be a string' },
      { path: 'delivery_url', message: urlRule },
      { path: 'extra', message: 'is not a known field' },
    ]),
  );
  expect(JSON.stringify(answer.body)).not.toMatch(/do-not-repeat|71234567/);
});

describe('bodies', () => {
  const routes: [method: string, path: () => string][] = [
    ['POST', () => '/admin/accounts'],
    ['PATCH', () => `/admin/accounts/${account.id}`],
  ];
  const raw = (method: string, path: string, type: string | null, body: string | Uint8Array) =>
    rawRequest(gateway.baseUrl, {
      ...{ method, path, body },
      headers: { 'x-admin-token': gateway.adminToken, ...(type === null ? {} : { 'content-type': type }) },
    });

  describe.each(routes)('%s', (method, path) => {
    test.each([['{'], ['{"a":}'], ["{'a':1}"], ['provider=generic'], [' '], ['{}{}']])(
      '%j is 400 malformed_json',
      async (body) => {
        const answer = await raw(method, path(), 'application/json', body);
        expect(answer).toMatchObject({ status: 400, body: { code: 'malformed_json', status: 400 } });
        expect(answer.headers['content-type']).toBe('application/problem+json');
      },
    );
    test('invalid UTF-8 is 400', async () => {
      const bytes = Buffer.from('7b226f72675f6964223a22ff227d', 'hex');
      expect((await raw(method, path(), 'application/json', bytes)).body.code).toBe('malformed_json');
    });
    test.each([['null'], ['[]'], ['"text"'], ['7'], ['[{"app_key":"a"}]'], ['']])('%j is 422', async (body) => {
      const answer = await raw(method, path(), 'application/json', body);
      expect(answer).toMatchObject({ status: 422, body: { code: 'invalid', errors: [{ path: '' }] } });
      expect(answer.body.detail).toBe('must be a JSON object');
    });
    test.each([
      [null],
      ['text/plain'],
      ['text/json'],
      ['application/x-www-form-urlencoded'],
      ['multipart/form-data; boundary=x'],
    ])('the type %s is 415', async (type) => {
      const answer = await raw(method, path(), type, '{"org_id":"a"}');
      expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    });
    test.each([['application/json; charset=utf-8'], ['Application/JSON'], ['application/json ;charset=UTF-8']])(
      'the type %s is accepted',
      async (type) => {
        const body = JSON.stringify(required());
        expect((await raw(method, path(), type, body)).status).toBe(method === 'POST' ? 201 : 200);
        await patch({ account_slug: account.account_slug });
      },
    );
    test.each([
      ['declared', (body: Buffer) => ({ body })],
      ['chunked', (body: Buffer) => ({ chunks: [body] })],
    ])('300 KiB, %s, are 413', async (_name, carry) => {
      const headers = { 'x-admin-token': gateway.adminToken, 'content-type': 'application/json' };
      const body = carry(Buffer.from(JSON.stringify({ org_id: x(300 * 1024) })));
      const answer = await rawRequest(gateway.baseUrl, { method, path: path(), headers, ...body });
      expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    });
    test('200 KiB of white space are accepted', async () => {
      const body = JSON.stringify({ ...required(), org_id: 'o' }).padStart(200 * 1024);
      expect((await raw(method, path(), 'application/json', body)).status).toBe(method === 'POST' ? 201 : 200);
      await patch({ account_slug: account.account_slug });
    });
    test('very deep JSON is refused as invalid', async () => {
      const body = `{"org_id":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
      expect((await raw(method, path(), 'application/json', body)).status).toBe(422);
    });
    test('a prototype in the body is an unknown field', async () => {
      const answer = await raw(method, path(), 'application/json', '{"__proto__":{"app_key":"a"}}');
      expect(answer.status).toBe(422);
      expect(answer.body.errors).toContainEqual({ path: '__proto__', message: 'is not a known field' });
    });
  });
});
