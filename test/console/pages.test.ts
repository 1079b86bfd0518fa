import { describe, expect, test } from 'vitest';
import { dashboardLinks } from '../../src/notifications/links.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });

const get = (path: string, init: RequestInit = {}) =>
  fetch(`${gateway.baseUrl}${path}`, { redirect: 'manual', ...init });
const unknownId = '01a1fb5c-32dd-7658-a59f-f1f2e11f4782';
const pages = [
  ...[
    '/dashboard',
    '/dashboard/',
    '/dashboard/incidents',
    `/dashboard/incidents/${unknownId}`,
    '/dashboard/events',
    `/dashboard/events/${unknownId}`,
    '/dashboard/rejected',
  ],
  ...['/dashboard/accounts', `/dashboard/accounts/${unknownId}`, '/dashboard/audit', '/dashboard/backups'],
  ...[
    `/dashboard/jobs/${unknownId}`,
    '/dashboard/maintenance',
    '/dashboard/providers',
    '/dashboard/tokens',
    '/dashboard/settings',
  ],
];
/** The address of the first script of the pages. */
const script = async () => {
  const shell = await (await get('/dashboard')).text();
  return /<script type="module"[^>]* src="([^"]+)"/.exec(shell)?.[1] ?? '';
};

describe('the pages', () => {
  test('to which notifications link exist, and need no token', async () => {
    const links = dashboardLinks(() => gateway.baseUrl);
    const at = new Date();
    const filter = { provider: 'generic', account_slug: 'shop', firstReceived: at, lastReceived: at };
    for (const link of [links.event(unknownId), links.failedEvents(filter), `${gateway.baseUrl}/dashboard/events/`]) {
      const page = await fetch(link);
      expect([link, page.status, page.headers.get('content-type')]).toEqual([link, 200, 'text/html; charset=utf-8']);
      expect(await page.text()).toMatch(/^<!doctype html>/);
    }
  });

  test.each(pages)('%s may load only files of the gateway', async (path) => {
    const { status, headers } = await get(path);
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy')?.split('; ') ?? [];
    expect(policy.sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      "style-src 'self'",
    ]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('contain no data: the page is the same for existing and missing events, with and without a token', async () => {
    const account = await gateway.admin.createAccount({});
    const { body } = await gateway.send(account, '{"id":"one","type":"kept.secret"}');
    const headers = { 'x-admin-token': gateway.adminToken };
    const shell = await (await get('/dashboard/events')).text();
    const paths = [
      `/dashboard/events/${body.id}`,
      `/dashboard/events/${unknownId}`,
      '/dashboard/events/no-uuid',
      '/dashboard/events?provider=generic',
    ];
    for (const path of paths) {
      expect([path, await (await get(path)).text()]).toEqual([path, shell]);
      expect([path, await (await get(path, { headers })).text()]).toEqual([path, shell]);
    }
    // The page loads its data from the API, which needs the token.
    expect((await get(`/admin/events/${body.id}`)).status).toBe(401);
  });

  test('refer to files of the gateway only, which never change', async () => {
    const shell = await (await get('/dashboard')).text();
    const links = [...shell.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThanOrEqual(3);
    for (const link of links.filter((one) => one !== '/openapi')) {
      const { status, headers } = await get(link);
      expect([link, status]).toEqual([link, 200]);
      expect([link, headers.get('cache-control')]).toEqual([link, 'public, max-age=31536000, immutable']);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(shell).not.toMatch(/\son\w+=|\sstyle=|<style|<script(?! type="module")|javascript:/);
  });

  test('are compressed for clients that take it', async () => {
    const path = await script();
    const plain = await get(path, { headers: { 'accept-encoding': 'identity' } });
    for (const accepted of ['gzip', 'br;q=1, gzip;q=0.5', '*']) {
      const answer = await get(path, { headers: { 'accept-encoding': accepted } });
      expect([accepted, answer.headers.get('content-encoding')]).toEqual([accepted, 'gzip']);
      expect(answer.headers.get('vary')).toBe('Accept-Encoding');
      expect(Number(answer.headers.get('content-length'))).toBeLessThan(
        Number(plain.headers.get('content-length')) / 2,
      );
    }
    for (const refused of ['identity', 'br', 'gzip;q=0', 'gzip; q=0, *'])
      expect([
        refused,
        (await get(path, { headers: { 'accept-encoding': refused } })).headers.get('content-encoding'),
      ]).toEqual([refused, null]);
    expect(await (await get(path, { headers: { 'accept-encoding': 'gzip' } })).text()).toBe(await plain.text());
  });

  test('answer HEAD with the same headers and without a body', async () => {
    const headers = { 'accept-encoding': 'identity' };
    const asked = await get('/dashboard/events', { headers });
    const answer = await get('/dashboard/events', { method: 'HEAD', headers });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('');
    const shell = await asked.arrayBuffer();
    expect(answer.headers.get('content-length')).toBe(String(shell.byteLength));
    for (const name of ['content-type', 'content-security-policy', 'etag', 'cache-control'])
      expect([name, answer.headers.get(name)]).toEqual([name, asked.headers.get(name)]);
  });

  test('are not sent again if the client has them in its cache', async () => {
    for (const path of ['/dashboard/events', await script()]) {
      const etag = (await get(path)).headers.get('etag') ?? '';
      expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
      for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
        const answer = await get(path, { headers: { 'if-none-match': known } });
        expect([path, known, answer.status, await answer.text()]).toEqual([path, known, 304, '']);
        expect(answer.headers.get('etag')).toBe(etag);
      }
      expect((await get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    }
  });
});

describe('other addresses', () => {
  test.each([
    '/dashboard/nothing',
    '/dashboard/events/a/b',
    '/dashboard/assets',
    '/dashboard/assets/',
    '/dashboard/assets/none.js',
    '/dashboard/index.html',
    '/dashboard/assets/index.html',
    '/dashboard/assets/..%2findex.html',
    '/dashboard/assets/..%2f..%2froutes.ts',
    '/dashboard/assets/constructor',
    '/dashboards',
  ])('%s is a 404 problem', async (path) => {
    const answer = await get(path);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
  });

  test('other methods are 405, not a webhook', async () => {
    for (const path of ['/dashboard', '/dashboard/events', `/dashboard/events/${unknownId}`, await script()]) {
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const answer = await get(path, { method, body: '{}' });
        expect([path, method, answer.status, answer.headers.get('allow')]).toEqual([path, method, 405, 'GET']);
        expect(await answer.json()).toMatchObject({ code: 'method_not_allowed' });
      }
    }
  });

  test('the slug of an account may equal the name of a page', async () => {
    for (const account_slug of ['events', 'assets', 'dashboard']) {
      const account = await gateway.admin.createAccount({ account_slug });
      expect([account_slug, (await gateway.send(account, '{}')).status]).toEqual([account_slug, 202]);
    }
  });
});
