import { beforeAll, describe, expect, test } from 'vitest';
import { createAdminClient } from '../../src/api/client.ts';
import { isAllowed, type TokenRole, tokenRoles } from '../../src/http/admin/roles.ts';
import { openApiText } from '../../src/roles/openapi.ts';
import { readProjectFile } from '../docker/files.ts';
import { rawRequest } from '../support/raw-http.ts';
import { secretInUrl, secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';

interface Documented {
  description?: string;
  'x-required-role'?: TokenRole;
  'x-token-scope'?: 'limited' | 'refused';
  responses: Record<string, { description: string }>;
}

const tokens = tokenRoles.map((role) => ({ name: `with-${role}`, role, token: secretText(`token-of-${role}`) }));
const tokenOf = (role: TokenRole) => secretText(`token-of-${role}`);

let operations: { method: string; path: string; role: TokenRole | undefined; documented: Documented }[];
const gateway = useGateway({ worker: false, adminTokens: tokens });
beforeAll(async () => {
  const { paths } = JSON.parse(await openApiText());
  operations = Object.entries<Record<string, Documented>>(paths)
    .filter(([path]) => path.startsWith('/admin'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, documented]) => ({
        ...{ method: method.toUpperCase(), path, documented, role: documented['x-required-role'] },
      })),
    );
});

const noId = '01900000-0000-7000-8000-000000000000';
const request = (role: TokenRole, method: string, path: string, body?: string) =>
  rawRequest(gateway.baseUrl, {
    ...{ method, path: path.replaceAll(/\{\w+\}/g, noId) },
    headers: { 'x-admin-token': tokenOf(role), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });

test('each operation of the document names its role, in the text too', () => {
  const names = { read: '`read`, `operate`, or `admin`', operate: '`operate` or `admin`', admin: '`admin`' };
  for (const { method, path, role, documented } of operations) {
    const what = `${method} ${path}`;
    expect([what, role]).toEqual([what, expect.toBeOneOf([...tokenRoles])]);
    if (role) expect([what, documented.description]).toEqual([what, expect.stringContaining(names[role])]);
    const isRefused = role !== 'admin' && documented['x-token-scope'] === 'refused';
    expect([what, '403' in documented.responses]).toEqual([what, role !== 'read' || isRefused]);
  }
});

test('each operation is allowed or refused by the role of the token, before anything else is checked', async () => {
  for (const { method, path, role: needed } of operations) {
    if (!needed) throw new Error(`${method} ${path} has no role`);
    for (const role of tokenRoles) {
      const what = `${method} ${path} with ${role}`;
      // Malformed, and with an unknown parameter: nothing is changed where the role is enough.
      const body = method === 'GET' || method === 'DELETE' ? undefined : '{"unknown":';
      const answer = await request(role, method, `${path}?unknown=1`, body);
      if (isAllowed(role, needed)) expect([what, answer.status]).toEqual([what, expect.toBeOneOf([400, 404, 422])]);
      else {
        expect([what, answer.status, answer.body?.code]).toEqual([what, 403, 'forbidden']);
        expect(answer.body.detail).toContain(`role '${needed}'; the token 'with-${role}' has the role '${role}'`);
        expect(answer.text).not.toContain(tokenOf(role));
        expect(answer.headers).not.toHaveProperty('www-authenticate');
      }
    }
  }
});

test('HEAD needs the role of GET, and an unknown path is 404 for every role', async () => {
  expect((await request('read', 'HEAD', '/admin/accounts')).status).toBe(200);
  for (const role of tokenRoles) expect((await request(role, 'POST', '/admin/no-such-path')).status).toBe(404);
});

test('a refused call changes nothing, and leaves an audit entry with both roles and the ids', async () => {
  const account = await gateway.admin.createAccount({});
  const path = `/admin/accounts/${account.id}`;
  expect((await request('operate', 'PATCH', path, '{"enabled":false}')).status).toBe(403);
  expect((await gateway.admin.request('GET', path)).body.enabled).toBe(true);
  const entries = await gateway.rows(
    `select * from audit_logs where details->>'account_id' = $1 and action = 'auth.denied'`,
    [account.id],
  );
  expect(entries).toMatchObject([
    {
      actor: 'with-operate',
      ip_address: '127.0.0.1',
      details: {
        ...{ method: 'PATCH', route: '/admin/accounts/:account_id', status: 403, action: 'account.update' },
        ...{ role: 'operate', required_role: 'admin', account_id: account.id },
      },
    },
  ]);
});

test('refusals by role do not count as wrong tokens', async () => {
  for (let n = 0; n < 25; n++) expect((await request('read', 'POST', '/admin/delivery/pause')).status).toBe(403);
  const wrong = await rawRequest(gateway.baseUrl, { method: 'GET', path: '/admin/me' });
  expect([wrong.status, wrong.body.code]).toEqual([401, 'unauthorized']);
  expect(wrong.headers['www-authenticate']).toMatch(/^AdminToken realm=/);
});

test('GET /admin/me tells name and role', async () => {
  for (const role of tokenRoles) {
    const client = createAdminClient({ baseUrl: gateway.baseUrl, token: tokenOf(role) });
    expect((await client.me.get()).data).toEqual({ name: `with-${role}`, scope: null, role });
  }
  const { name, role } = (await gateway.admin.request('GET', '/admin/me')).body;
  expect([name, role]).toEqual(['tester', 'admin']);
});

test('only admin sees the path of a chat URL', async () => {
  const account = await gateway.admin.createAccount({});
  const path = `/admin/accounts/${account.id}/destinations`;
  const url = `https://chat.test/services/${secretInUrl()}`;
  const config = { webhook_url: url };
  const made = await gateway.admin.post(path, { destination_type: 'chat_one', name: 'chat', config });
  expect([made.status, made.body.config]).toEqual([201, config]);
  const shown = async (role: TokenRole) => (await request(role, 'GET', path)).body[0].config.webhook_url;
  expect(await shown('admin')).toBe(url);
  expect(await shown('operate')).toBe('https://chat.test/[masked]');
  expect(await shown('read')).toBe('https://chat.test/[masked]');
});

describe('the table of roles in docs/admin-api.md', () => {
  test('names each operation once, with its role', () => {
    const page = readProjectFile('docs/admin-api.md');
    const calls = tokenRoles.flatMap((role) => {
      const row = new RegExp(`^\\| \`${role}\` \\|.*$`, 'm').exec(page)?.[0] ?? '';
      return [...row.matchAll(/`([A-Z]+) (\/admin[^`]*)`/g)].map(([, method, path]) => `${role} ${method} ${path}`);
    });
    const documented = operations.map(
      ({ method, path, role }) => `${role} ${method} ${path.replaceAll(/\{\w+_id\}/g, '{id}')}`,
    );
    expect(calls.sort()).toEqual(documented.sort());
  });
});
