import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { SlowAnswers } from '../../src/http/admin/slow-answers.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { rawRequest } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function gatewayWith(): Promise<TestGateway> {
  const gateway = await startGateway({ worker: false, trustedProxies: ['127.0.0.1'] });
  undo.push(() => gateway.stop());
  return gateway;
}

const ask = (gateway: TestGateway, token: string, more: { method?: string; body?: string } = {}) =>
  rawRequest(gateway.baseUrl, {
    ...{ method: 'GET', path: '/admin/accounts', ...more },
    headers: { 'x-forwarded-for': '192.0.2.1', 'x-admin-token': token },
  });

/** Sends so many wrong tokens that each later answer is delayed by two seconds. */
async function guess(gateway: TestGateway): Promise<void> {
  await Promise.all(Array.from({ length: 14 }, (_, n) => ask(gateway, `wrong-${n}`)));
}

test('after many wrong tokens an address gets its 429 late, but the right token is answered at once', async () => {
  const gateway = await gatewayWith();
  await guess(gateway);
  const order: string[] = [];
  // Again if this process stood still for as long as the wrong token waits.
  await until('the right token is answered first', async () => {
    order.length = 0;
    const beganMs = performance.now();
    const wrong = ask(gateway, 'wrong').then(({ status }) => {
      order.push('wrong');
      return [status, performance.now() - beganMs] as const;
    });
    expect((await ask(gateway, gateway.adminToken)).status).toBe(200);
    order.push('right');
    const [status, tookMs] = await wrong;
    expect(status).toBe(429);
    // Two seconds, less the tolerance of timers, which may fire early.
    expect(tookMs).toBeGreaterThan(1_900);
    return order[0] === 'right';
  });
});

test('a wrong token with an unfinished body is delayed like any other, and the body is not read', async () => {
  const gateway = await gatewayWith();
  await guess(gateway);
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
  undo.push(() => socket.destroy());
  socket.write(
    'POST /admin/accounts HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 192.0.2.1\r\nx-admin-token: wrong\r\n' +
      'content-type: application/json\r\ncontent-length: 100000\r\n\r\n{',
  );
  const [first] = await new Promise<Buffer[]>((resolve) => socket.once('data', (chunk: Buffer) => resolve([chunk])));
  expect(String(first)).toMatch(/^HTTP\/1\.1 429 /);
});

test('a graceful shutdown sends the delayed answers', async () => {
  const gateway = await startGateway({ worker: false, trustedProxies: ['127.0.0.1'] });
  await guess(gateway);
  const waiting = Array.from({ length: 5 }, () => ask(gateway, 'wrong'));
  await ask(gateway, gateway.adminToken);
  await gateway.stop();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(5).fill(429));
});

/** A server that delays each answer as after many wrong tokens. `waits` says which requests were delayed. */
async function slowServer(): Promise<{ slow: SlowAnswers; port: number; waits: boolean[] }> {
  const slow = new SlowAnswers();
  const waits: boolean[] = [];
  const server = createServer((request, response) => {
    const before = slow.waiting;
    void slow.wait(request, 20).then(() => response.end());
    waits.push(slow.waiting > before);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(() => {
    slow.close();
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { slow, port: (server.address() as AddressInfo).port, waits };
}

function asking(port: number, requests = 1): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(requests));
  undo.push(() => socket.destroy());
  return socket;
}

test('at most 64 answers are delayed at a time; further answers are sent at once', async () => {
  const { port, waits } = await slowServer();
  asking(port, 100);
  await until('all requests have arrived', () => waits.length === 100);
  expect(waits).toEqual([...Array(64).fill(true), ...Array(36).fill(false)]);
});

test('a delay ends when the client disconnects', async () => {
  const { slow, port, waits } = await slowServer();
  const sockets = [asking(port), asking(port, 20)];
  await until('all requests have arrived', () => waits.length === 21);
  for (const socket of sockets) socket.resetAndDestroy();
  await until('no answer is delayed', () => slow.waiting === 0);
  asking(port);
  await until('one more request has arrived', () => waits.length === 22);
  expect(waits).toEqual(Array(22).fill(true));
});

test('closing ends all delays, and later answers are not delayed', async () => {
  const { slow, port, waits } = await slowServer();
  asking(port, 3);
  await until('all requests have arrived', () => waits.length === 3);
  slow.close();
  expect(slow.waiting).toBe(0);
  asking(port);
  await until('one more request has arrived', () => waits.length === 4);
  expect(waits).toEqual([true, true, true, false]);
});
