import { beforeAll, expect, test } from 'vitest';
import { openApiText } from '../../src/roles/openapi.ts';
import { isEngineLate } from '../support/maintenance.ts';
import { type RawAnswer, rawRequest } from '../support/raw-http.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';

let adminRoutes: { method: string; path: string }[];
// Each wrong token comes from another address, through a trusted proxy: ten of one address are the limit.
const gateway = useGateway({ worker: false, trustedProxies: ['127.0.0.1'] });
beforeAll(async () => {
  const { paths } = JSON.parse(await openApiText());
  adminRoutes = Object.entries<Record<string, unknown>>(paths)
    .filter(([path]) => path.startsWith('/admin'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })));
});

let lastAddress = 0;
/** An `x-forwarded-for` header with an address that no earlier request used. */
const fromElsewhere = () => {
  lastAddress += 1;
  return { 'x-forwarded-for': `10.0.${lastAddress >> 8}.${lastAddress & 255}` };
};

const json = 'application/json';
const denied = (answer: RawAnswer, what: string) => {
  expect([what, answer.status, answer.body?.code]).toEqual([what, 401, 'unauthorized']);
  expect(answer.headers['content-type']).toBe('application/problem+json');
};

const wrongTokens = (right: string): [name: string, headers: Record<string, string>][] => [
  ['none', {}],
  ['an empty token', { 'x-admin-token': '' }],
  ['a wrong token of the same length', { 'x-admin-token': right.replace(/.$/, 'x') }],
  ['the beginning of the token', { 'x-admin-token': right.slice(0, -1) }],
  ['the token and one more character', { 'x-admin-token': `${right}x` }],
  ['the token after its name', { 'x-admin-token': `tester:${right}` }],
  ['the token in another header', { authorization: `Bearer ${right}` }],
];

test('every admin route refuses every wrong token, before it looks at anything else', async () => {
  expect(adminRoutes.length).toBe(78);
  for (const { method, path } of adminRoutes) {
    for (const [name, headers] of wrongTokens(gateway.adminToken)) {
      const valid = path.replaceAll(/\{\w+\}/g, '01900000-0000-7000-8000-000000000000');
      const invalid = `${path.replaceAll(/\{\w+\}/g, 'no-id')}?limit=abc&unknown=%00`;
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{"provider":1' };
      const what = `${method} ${path} with ${name}`;
      denied(
        await rawRequest(gateway.baseUrl, { method, path: valid, headers: { ...headers, ...fromElsewhere() } }),
        what,
      );
      denied(
        await rawRequest(gateway.baseUrl, {
          method,
          path: invalid,
          headers: { ...headers, ...fromElsewhere() },
          ...body,
        }),
        what,
      );
      const typed = { ...headers, 'content-type': json, ...fromElsewhere() };
      denied(await rawRequest(gateway.baseUrl, { method, path: valid, headers: typed, ...body }), what);
    }
  }
});

test('every admin route accepts the right token', async () => {
  const headers = { 'x-admin-token': gateway.adminToken };
  for (const { method, path } of adminRoutes) {
    const id = '01900000-0000-7000-8000-000000000000';
    const answer = await until(`Temporal answers ${method} ${path} in time`, async () => {
      const one = await rawRequest(gateway.baseUrl, { method, path: path.replaceAll(/\{\w+\}/g, id), headers });
      return !isEngineLate(one) && one;
    });
    expect([`${method} ${path}`, answer.status]).not.toEqual([`${method} ${path}`, 401]);
    expect(answer.status).toBeLessThan(500);
  }
});

test('requests without a token change nothing', async () => {
  const account = await gateway.admin.createAccount({});
  const path = `/admin/accounts/${account.id}`;
  const headers = { 'content-type': json };
  await rawRequest(gateway.baseUrl, { method: 'PATCH', path, headers, body: '{"enabled":false}' });
  await rawRequest(gateway.baseUrl, { method: 'DELETE', path });
  expect((await gateway.admin.request('GET', path)).body).toEqual(account);
});

test('a huge body without a token is refused before it is read', async () => {
  const headers = { 'content-type': json };
  const body = Buffer.alloc(2 * 1024 * 1024);
  denied(await rawRequest(gateway.baseUrl, { path: '/admin/accounts', headers, body }), 'a huge body');
});

test.each(['/health/live', '/health/ready'])('%s needs no token', async (path) => {
  expect(await rawRequest(gateway.baseUrl, { method: 'GET', path })).toMatchObject({
    status: 200,
    body: { status: 'ok' },
  });
});

test.each([
  ['multipart/form-data; boundary=x', '--x\r\n[]--x--\r\n'],
  ['application/json', '{"half":'],
  ['application/x-www-form-urlencoded', '%ff=%'],
  ['text/plain', '\u0000'],
])('/health/live accepts a body of type %s, even a malformed one', async (type, body) => {
  const answer = await rawRequest(gateway.baseUrl, { path: '/health/live', headers: { 'content-type': type }, body });
  expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } });
});
