import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import getPort from 'get-port';
import semver from 'semver';
import { Agent, fetch } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lacks } from '../support/may-skip/list.ts';
import { until } from '../support/until.ts';
import { readProjectFile } from './files.ts';
import { service } from './services.ts';
import { startNginx } from './start-nginx.ts';

/** nginx may need so long until it uses the addresses of new containers. */
const noticeLimitMs = 5_000;
/** The api closes a connection that was idle for so long (src/http/serve.ts). */
const apiKeepAliveS = 75;

const secondsOf = (directive: RegExp) => Number(directive.exec(readProjectFile('docker/nginx/nginx.conf'))?.[1]);

// Not skipped without nginx, as the tests below are.
describe('docker/nginx', () => {
  test('asks for the addresses of the apis again before the limit', () => {
    // nginx asks a second later than `valid`, and after an unanswered query when resolver_timeout has passed twice.
    expect((secondsOf(/^ {2}resolver 127\.0\.0\.11 valid=(\d+)s;$/m) + 1) * 1_000).toBeLessThan(noticeLimitMs);
    expect(secondsOf(/^ {2}resolver_timeout (\d+)s;$/m) * 2_000).toBeLessThan(noticeLimitMs);
  });

  test('closes an idle connection before the api does', () => {
    expect(readProjectFile('src/http/serve.ts')).toContain(`const keepAliveMs = ${apiKeepAliveS}_000;`);
    expect(secondsOf(/^ {4}keepalive_timeout (\d+)s;$/m)).toBeLessThan(apiKeepAliveS);
  });

  test('is for the version of the compose file', () => {
    const version = semver.coerce(service('gateway').image?.split(':')[1]);
    // The first one without a subscription whose upstreams have `resolve`.
    expect(version && semver.gte(version, '1.27.3')).toBe(true);
  });
});

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** A server in the place of an api, at an address of loopback. Without `handle` it answers 200. */
async function startApi(address: string, port: number, handle: Handle = (_, response) => void response.end()) {
  const api = { requests: [] as string[], connections: 0, handle, stop: () => close(), start };
  const sockets = new Set<Socket>();
  const server = createServer({ keepAliveTimeout: apiKeepAliveS * 1_000 }, (incoming, response) => {
    // Those that wait for the start of nginx.
    if (incoming.url === '/') return void response.end();
    api.requests.push(`${incoming.method} ${incoming.url}`);
    incoming.resume();
    api.handle(incoming, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    api.connections += 1;
  });
  function close(): void {
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
    sockets.clear();
  }
  async function start(): Promise<void> {
    server.listen(port, address);
    await once(server, 'listening');
  }
  await start();
  onTestFinished(close);
  return api;
}

/**
 * nginx before two apis, and a sender with one connection, so that one process of nginx has all requests. Neither side closes
 * it while the test pauses.
 */
async function balanced() {
  const port = await getPort();
  const [a, b] = [await startApi('127.0.0.11', port), await startApi('127.0.0.12', port)];
  const nginx = await startNginx({ apiPort: port, addresses: ['127.0.0.11', '127.0.0.12'] });
  const dispatcher = new Agent({ connections: 1, pipelining: 1, keepAliveTimeout: 60_000 });
  onTestFinished(() => dispatcher.destroy());
  const send = async (method = 'POST', path = '/generic/a') => {
    const body = method === 'POST' ? '{}' : null;
    const response = await fetch(nginx.baseUrl + path, { method, body, dispatcher });
    await response.arrayBuffer();
    return response.status;
  };
  return { a, b, nginx, send, port };
}

const statuses = async (count: number, send: () => Promise<number>) => {
  const found: number[] = [];
  for (let n = 0; n < count; n++) found.push(await send());
  return found;
};

describe.skipIf(lacks('nginx'))('nginx with docker/nginx', () => {
  test('requests share a connection to each api', async () => {
    const { a, b, send } = await balanced();
    const before = a.connections + b.connections;
    expect(new Set(await statuses(100, send))).toEqual(new Set([200]));
    expect([a.requests.length, b.requests.length]).toEqual([50, 50]);
    expect(a.connections + b.connections - before).toBeLessThanOrEqual(2);
  });

  test('an api that is no longer in DNS gets no requests, although its connections are open', async () => {
    const { a, b, nginx, send, port } = await balanced();
    await statuses(4, send);
    const c = await startApi('127.0.0.13', port);
    nginx.rename(['127.0.0.13']);
    const noticed = () => c.requests.length > 0;
    await until('the new address is used', async () => (await send()) && noticed());
    a.requests.length = b.requests.length = 0;
    expect(new Set(await statuses(20, send))).toEqual(new Set([200]));
    expect([a.requests, b.requests]).toEqual([[], []]);
  });

  test('replaced containers are used', async () => {
    const { a, b, nginx, send, port } = await balanced();
    await statuses(4, send);
    a.stop();
    b.stop();
    await startApi('127.0.0.13', port);
    nginx.rename(['127.0.0.13']);
    await until('requests are answered', async () => (await send()) === 200);
    expect(new Set(await statuses(20, send))).toEqual(new Set([200]));
  });

  test('apis that all restart with their addresses are used again', async () => {
    const { a, b, send } = await balanced();
    await statuses(4, send);
    a.stop();
    b.stop();
    expect(new Set(await statuses(4, send))).toEqual(new Set([502]));
    await a.start();
    await b.start();
    await until('requests are answered', async () => (await send()) === 200);
    await until('both are used', async () => {
      await send();
      return a.requests.length > 2 && b.requests.length > 2;
    });
  });

  test('a webhook whose connection is refused goes to the next api', async () => {
    const { a, b, send } = await balanced();
    await statuses(4, send);
    a.stop();
    expect(new Set(await statuses(20, send))).toEqual(new Set([200]));
    expect(b.requests.length).toBe(22);
  });

  test('a webhook that was sent over a kept connection is not sent again when the connection breaks', async () => {
    const { a, b, send } = await balanced();
    await statuses(4, send);
    a.requests.length = b.requests.length = 0;
    a.handle = b.handle = (incoming) => void incoming.socket.resetAndDestroy();
    expect(await send()).toBe(502);
    expect(a.requests.length + b.requests.length).toBe(1);
  });

  test('a connection that the api ends after its answer is replaced', async () => {
    const { a, b, send } = await balanced();
    a.handle = b.handle = (_, response) => void response.writeHead(202, { connection: 'close' }).end();
    const before = a.connections + b.connections;
    expect(new Set(await statuses(20, send))).toEqual(new Set([202]));
    expect(a.connections + b.connections - before).toBeGreaterThanOrEqual(18);
  });

  test('a sender that leaves ends the request of its api, and others are answered', async () => {
    const { a, b, send, nginx } = await balanced();
    const { promise: left, resolve } = Promise.withResolvers<void>();
    a.handle = b.handle = (_, response) => void response.once('close', resolve);
    const leaving = request(`${nginx.baseUrl}/x`, { method: 'POST' });
    leaving.on('error', () => undefined).end('{}');
    await until('an api has the request', () => a.requests.length + b.requests.length === 1);
    leaving.destroy();
    await left;
    a.handle = b.handle = (_, response) => void response.end();
    expect(new Set(await statuses(10, send))).toEqual(new Set([200]));
  });

  test('a path passes as it came', async () => {
    const { a, b, nginx } = await balanced();
    const path = '/generic/a%2Fb//c/../d?x=%20&y=/..';
    const asked = request({ port: nginx.port, host: '127.0.0.1', path });
    asked.end();
    const [response] = await once(asked, 'response');
    response.resume();
    expect([...a.requests, ...b.requests]).toEqual([`GET ${path}`]);
  });
});
