import { type IncomingMessage, request } from 'node:http';
import { fetch } from 'undici';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { backend, balanced } from './balanced.ts';

test('requests of one connection go to the backends round-robin', async () => {
  const [a, b] = [await backend(), await backend()];
  const { post } = await balanced(a, b);
  for (let n = 0; n < 6; n++) expect((await post()).status).toBe(202);
  expect([a.requests.length, b.requests.length]).toEqual([3, 3]);
});

test('a refused connection is tried at the next backend', async () => {
  const [a, b] = [await backend(), await backend()];
  const { balancer, post } = await balanced(a, b);
  a.stop();
  for (let n = 0; n < 4; n++) expect((await post()).status).toBe(202);
  expect(b.requests.length).toBe(4);
  expect(balancer.counts).toMatchObject({ forwarded: 4, refused: 0, broken: 0 });
});

test('a request waits for a backend that is started again', async () => {
  const a = await backend();
  const { post } = await balanced(a);
  a.stop();
  const answered = post();
  await a.start();
  expect((await answered).status).toBe(202);
});

test('without any backend a request is answered 503 with Retry-After', async () => {
  const a = await backend();
  const { balancer, post } = await balanced(a);
  a.stop();
  const response = await post();
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(balancer.counts.refused).toBe(1);
});

test('a request that was sent is not sent again when its backend breaks', async () => {
  const broken = (incoming: IncomingMessage) => void incoming.socket.resetAndDestroy();
  const [a, b] = [await backend(broken), await backend(broken)];
  const { balancer, post } = await balanced(a, b);
  expect((await post()).status).toBe(502);
  expect(a.requests.length + b.requests.length).toBe(1);
  expect(balancer.counts.broken).toBe(1);
});

test('a backend that is not ready gets no requests until it is ready', async () => {
  const [a, b] = [await backend(), await backend()];
  const { balancer, post } = await balanced(a, b);
  a.isReady = false;
  await until('the backend is removed', () => balancer.healthy.length === 1);
  for (let n = 0; n < 3; n++) await post();
  expect(a.requests).toEqual([]);
  a.isReady = true;
  await until('the backend is back', () => balancer.healthy.length === 2);
  for (let n = 0; n < 2; n++) await post();
  expect(a.requests.length).toBe(1);
});

test('backends can be replaced', async () => {
  const [a, b] = [await backend(), await backend()];
  const { balancer, post } = await balanced(a);
  await balancer.use([b.port]);
  await post();
  expect([a.requests.length, b.requests.length]).toEqual([0, 1]);
});

test.each(['/metrics', '/metrics?x=1', '/%6detrics'])('%s is not forwarded', async (path) => {
  const a = await backend();
  const { post } = await balanced(a);
  expect((await post(path)).status).toBe(404);
  expect(a.requests).toEqual([]);
});

test('headers that name the client are replaced, and others pass as they came', async () => {
  const a = await backend();
  const { url } = await balanced(a);
  const headers = { 'X-Forwarded-For': '203.0.113.7', 'X-Real-Ip': '203.0.113.7', Forwarded: 'for=203.0.113.7' };
  await fetch(`${url}/x`, { headers: { ...headers, 'X-Webhook-Secret': 'a  b' } });
  expect(a.last).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-webhook-secret': 'a  b', host: url.slice(7) });
  expect(a.last).not.toHaveProperty('x-real-ip');
  expect(a.last).not.toHaveProperty('forwarded');
});

test('large bodies pass in both directions', async () => {
  const large = 'x'.repeat(5_000_000);
  const a = await backend((incoming, response) => void incoming.pipe(response));
  const { post } = await balanced(a);
  expect((await (await post('/x', large)).text()).length).toBe(large.length);
});

test('an answer before the end of the body reaches the sender', async () => {
  const a = await backend((_, response) => void response.writeHead(413, { connection: 'close' }).end('too large'));
  const { url } = await balanced(a);
  const status = await new Promise((resolve, reject) => {
    const outgoing = request(`${url}/x`, { method: 'POST', headers: { 'content-length': '1000000' } });
    outgoing.once('response', ({ statusCode }) => {
      outgoing.destroy();
      resolve(statusCode);
    });
    outgoing.once('error', reject);
    outgoing.write('the beginning');
  });
  expect(status).toBe(413);
});

test('a sender that leaves ends the request of its backend', async () => {
  const { promise: left, resolve } = Promise.withResolvers<void>();
  const a = await backend((_, response) => void response.once('close', resolve));
  const { url } = await balanced(a);
  const leaving = new AbortController();
  const answered = fetch(`${url}/x`, { signal: leaving.signal });
  await until('the backend has the request', () => a.requests.length === 1);
  leaving.abort();
  await expect(answered).rejects.toThrow();
  await left;
});
