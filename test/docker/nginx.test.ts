import { once } from 'node:events';
import { type IncomingHttpHeaders, request, type ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { consumerForTest } from '../support/consumer.ts';
import { lacks } from '../support/may-skip/list.ts';
import { until } from '../support/until.ts';
import { readProjectFile } from './files.ts';
import { startNginx } from './start-nginx.ts';

/** A real nginx before a server that records requests. */
async function nginxBeforeOne(proxyInFront: string) {
  const api = await consumerForTest();
  const { baseUrl, port } = await startNginx({ apiPort: api.port, addresses: ['127.0.0.1'], proxyInFront });
  api.deliveries.length = 0;
  return {
    baseUrl,
    api,
    /** Sends a request from a loopback address with these headers, and returns the headers that the api gets. */
    async passed(localAddress: string, headers: Record<string, string | string[]>): Promise<IncomingHttpHeaders> {
      const sent = request({ host: '127.0.0.1', port, localAddress, method: 'POST', path: '/generic/a', headers });
      sent.end('{}');
      const [response] = await once(sent, 'response');
      response.resume();
      expect(response.statusCode).toBe(200);
      return api.deliveries.at(-1)?.headers ?? {};
    },
  };
}

/** Headers with which a client could claim another address. */
const spoofed = {
  'x-forwarded-for': ['203.0.113.66', '10.0.0.1'],
  forwarded: 'for=203.0.113.66',
  'x-real-ip': '203.0.113.66',
};

// Not skipped without nginx, as the test of the running limit below is.
test('docker/nginx limits the requests in progress of each address', () => {
  const text = readProjectFile('docker/nginx/nginx.conf');
  const zone = /^ {2}limit_conn_zone \$binary_remote_addr zone=(\w+):\d+m;$/m.exec(text)?.[1];
  expect(zone).toBeDefined();
  const [limit] = [...text.matchAll(/^ {2}limit_conn (\w+) (\d+);$/gm)];
  expect(limit?.[1]).toBe(zone);
  // An api has 2,000 connections (MAX_CONNECTIONS), and nginx 4,096 for both sides of its own.
  expect(Number(limit?.[2])).toBeLessThanOrEqual(500);
  expect(text).toMatch(/^ {2}limit_conn_status 503;$/m);
});

describe.skipIf(lacks('nginx'))('nginx with docker/nginx', () => {
  test('without a proxy in front, the client is the address of the connection', async () => {
    const nginx = await nginxBeforeOne('unix:');
    for (const address of ['127.0.0.1', '127.0.0.5']) {
      const headers = await nginx.passed(address, spoofed);
      expect(headers['x-forwarded-for']).toBe(address);
      expect([headers['x-real-ip'], headers.forwarded]).toEqual([undefined, undefined]);
    }
    const plain = await nginx.passed('127.0.0.5', { 'x-webhook-secret': 's', under_score: 'kept' });
    expect(plain).toMatchObject({ 'x-forwarded-for': '127.0.0.5', 'x-webhook-secret': 's', under_score: 'kept' });
  });

  test('a proxy in front is trusted, and no other address', async () => {
    const nginx = await nginxBeforeOne('127.0.0.5');
    const from = async (address: string, forwardedFor: string) =>
      (await nginx.passed(address, { 'x-forwarded-for': forwardedFor, forwarded: 'for=1.2.3.4' }))['x-forwarded-for'];
    expect(await from('127.0.0.5', '198.51.100.7')).toBe('198.51.100.7');
    expect(await from('127.0.0.5', '2001:db8::7')).toBe('2001:db8::7');
    // Addresses that the client claimed are further left.
    expect(await from('127.0.0.5', '203.0.113.66, 198.51.100.7')).toBe('198.51.100.7');
    expect(await from('127.0.0.5', '198.51.100.7, 127.0.0.5')).toBe('198.51.100.7');
    expect(await from('127.0.0.5', 'no address')).toBe('127.0.0.5');
    expect(await from('127.0.0.6', '198.51.100.7')).toBe('127.0.0.6');
    expect(await from('127.0.0.1', '198.51.100.7')).toBe('127.0.0.1');
  });

  test('a network of proxies in front is trusted', async () => {
    const nginx = await nginxBeforeOne('127.0.0.8/29');
    const headers = await nginx.passed('127.0.0.9', { 'x-forwarded-for': '198.51.100.7' });
    expect(headers['x-forwarded-for']).toBe('198.51.100.7');
    expect((await nginx.passed('127.0.0.7', spoofed))['x-forwarded-for']).toBe('127.0.0.7');
  });

  test('an address with 500 requests in progress gets 503, and others are served', async () => {
    const { baseUrl, api } = await nginxBeforeOne('unix:');
    const held: ServerResponse[] = [];
    api.replies = [(response) => held.push(response)];
    const { port } = new URL(baseUrl);
    const sent = (localAddress: string) => {
      const asked = request({ host: '127.0.0.1', port, localAddress, agent: false });
      asked.end();
      return once(asked, 'response').then(([response]) => {
        response.resume();
        return response.statusCode;
      });
    };
    const first = Array.from({ length: 500 }, () => sent('127.0.0.1'));
    await until('all 500 are in progress', () => held.length === 500);
    expect(await sent('127.0.0.1')).toBe(503);
    const other = sent('127.0.0.5');
    await until('the request of the other address', () => held.length === 501);
    for (const response of held) response.end();
    expect(new Set(await Promise.all([...first, other]))).toEqual(new Set([200]));
  });

  test('/metrics is not forwarded, in any spelling', async () => {
    const { baseUrl, api } = await nginxBeforeOne('unix:');
    // By hand: a client would make the paths regular.
    for (const path of [
      '/metrics',
      '/metrics/',
      '/metrics?x=1',
      '//metrics',
      '/x/../metrics',
      '/%6detrics',
      '/./metrics/',
    ]) {
      const asked = request(`${baseUrl}`, { path });
      asked.end();
      const [response] = await once(asked, 'response');
      response.resume();
      expect([path, response.statusCode]).toEqual([path, 404]);
    }
    expect(api.deliveries).toEqual([]);
    expect((await fetch(`${baseUrl}/health/ready`)).status).toBe(200);
    expect(api.deliveries.map(({ url }) => url)).toEqual(['/health/ready']);
  });
});
