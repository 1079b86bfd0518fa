import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openApiText } from '../../src/roles/openapi.ts';
import { attacker } from '../support/attack.ts';
import { type RawRequest, rawRequest } from '../support/raw-http.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false, trustedProxies: ['127.0.0.1'] });

const ask = async (method: string, path: string, more: Partial<RawRequest> = {}) => {
  const { status, headers } = await rawRequest(gateway.baseUrl, { ...more, method, path });
  return { status, caching: headers['cache-control'] };
};

test('no answer of the admin API may be stored by a cache, with and without a token', async () => {
  const { paths } = JSON.parse(await openApiText()) as { paths: Record<string, Record<string, unknown>> };
  const calls = Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/') && path !== '/admin/events/stream')
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => [method.toUpperCase(), path] as const));
  expect(calls.length).toBeGreaterThan(40);
  let addresses = 1;
  for (const [method, path] of calls) {
    const target = path.replaceAll(/\{\w+\}/g, randomUUID());
    // Each address may try ten wrong tokens before its answers are delayed.
    const stranger = { 'x-forwarded-for': `198.51.100.${addresses++}` };
    for (const headers of [{ 'x-admin-token': gateway.adminToken }, stranger])
      expect([method, path, (await ask(method, target, { headers })).caching]).toEqual([method, path, 'no-store']);
  }
});

test.each<[name: string, status: number, method: string, path: string, hasToken: boolean]>([
  ['an unknown address below /admin', 404, 'GET', '/admin/no/such/thing', true],
  ['/admin itself', 404, 'GET', '/admin', true],
  ['a method that is not allowed', 405, 'PUT', '/admin/accounts', true],
  ['an invalid query', 422, 'GET', '/admin/accounts?limit=0', true],
  ['HEAD', 200, 'HEAD', '/admin/accounts', true],
  ['a wrong token', 401, 'OPTIONS', '/admin/accounts', false],
  ['an unknown address', 404, 'GET', '/nothing/here/at-all', false],
  ['a webhook to an account that does not exist', 404, 'POST', '/generic/nobody', false],
  ['an unknown page of the console', 404, 'GET', '/dashboard/nothing/here', false],
  ['an unknown file of the console', 404, 'GET', '/dashboard/assets/nothing.js', false],
  ['a health check', 200, 'GET', '/health/ready', false],
  ['a request that is refused before any route', 400, 'GET', '/admin/../metrics', false],
])('%s: %i may not be stored', async (_name, status, method, path, hasToken) => {
  const headers = hasToken ? { 'x-admin-token': gateway.adminToken } : {};
  expect(await ask(method, path, { headers })).toEqual({ status, caching: 'no-store' });
});

test('the answer to bytes that are not HTTP may not be stored', async () => {
  const { socket, received, closed } = await attacker(gateway.baseUrl, { reads: true });
  socket.write('not HTTP\r\n\r\n');
  await until('the answer has come', () => received().endsWith('\r\n\r\n'));
  socket.end();
  await closed;
  expect(received()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n(?:.+\r\n)*Cache-Control: no-store\r\n/);
});

test('files that are the same for all callers may be stored', async () => {
  expect(await ask('GET', '/dashboard')).toEqual({ status: 200, caching: 'no-cache' });
  expect(await ask('GET', '/openapi/assets/swagger-ui.css')).toEqual({ status: 200, caching: 'public, max-age=3600' });
});
