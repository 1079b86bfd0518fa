import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fetch } from 'undici';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { backend, balanced } from './balanced.ts';

const statuses = async (count: number, post: () => Promise<{ status: number; text(): Promise<string> }>) => {
  const found = new Set<number>();
  for (let n = 0; n < count; n++) {
    const response = await post();
    await response.text();
    found.add(response.status);
  }
  return [...found];
};

test('requests share a connection to each backend', async () => {
  const [a, b] = [await backend(), await backend()];
  const { balancer, post } = await balanced(a, b);
  expect(await statuses(100, post)).toEqual([202]);
  expect([a.requests.length, b.requests.length]).toEqual([50, 50]);
  expect(balancer.counts.opened).toBe(2);
});

test('requests at the same moment have connections of their own, which later ones share', async () => {
  const held: ServerResponse[] = [];
  const a = await backend((_, response) => void held.push(response));
  const { balancer, url } = await balanced(a);
  for (let round = 0; round < 2; round++) {
    const answered = Array.from({ length: 10 }, () => fetch(`${url}/x`).then((response) => response.text()));
    await until('all ten are at the backend', () => held.length === 10);
    for (const response of held.splice(0)) response.end();
    await Promise.all(answered);
  }
  expect(balancer.counts).toMatchObject({ forwarded: 20, opened: 10, broken: 0 });
});

test('a connection that its backend ends with an answer is not used again', async () => {
  const a = await backend((_, response) => void response.writeHead(202, { connection: 'close' }).end());
  const { balancer, post } = await balanced(a);
  expect(await statuses(10, post)).toEqual([202]);
  expect(a.requests.length).toBe(10);
  expect(balancer.counts).toMatchObject({ opened: 10, broken: 0 });
});

test('the sender keeps its connection when a backend ends its own', async () => {
  const a = await backend((_, response) => void response.writeHead(202, { connection: 'close' }).end());
  const { post } = await balanced(a);
  expect((await post()).headers.get('connection')).toBe('keep-alive');
});

test('a connection that its backend has closed while it was idle is replaced', async () => {
  const a = await backend();
  const { balancer, post } = await balanced(a);
  for (let n = 0; n < 3; n++) {
    expect(await statuses(2, post)).toEqual([202]);
    // The close event comes when the balancer has ended its side, too.
    await Promise.all([...a.sockets].map((socket) => once(socket.end(), 'close')));
  }
  expect(a.requests.length).toBe(6);
  expect(balancer.counts).toMatchObject({ forwarded: 6, opened: 3, broken: 0, retried: 0 });
});

test('a request over a kept connection is not sent again when the backend closes it', async () => {
  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    if (incoming.url === '/breaks') incoming.socket.destroy();
    else response.writeHead(202).end();
  };
  const [a, b] = [await backend(handle), await backend(handle)];
  const { balancer, post } = await balanced(a, b);
  await statuses(4, post);
  expect((await post('/breaks')).status).toBe(502);
  expect([...a.requests, ...b.requests].filter((line) => line === 'POST /breaks')).toHaveLength(1);
  expect(balancer.counts).toMatchObject({ broken: 1, opened: 2 });
  expect(await statuses(4, post)).toEqual([202]);
});

test('each request is answered once when its backend closes connections at random moments', async () => {
  const seen = new Map<string, number>();
  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    incoming.resume().once('end', () => {
      const path = incoming.url ?? '';
      seen.set(path, (seen.get(path) ?? 0) + 1);
      response.writeHead(202).end();
      // Some are closed behind the answer without a word, as by a backend whose idle connection has expired.
      if (Math.random() < 0.2) setImmediate(() => incoming.socket.end());
    });
  };
  const [a, b] = [await backend(handle), await backend(handle)];
  const { balancer, url } = await balanced(a, b);
  const send = async (sender: number) => {
    const found: { path: string; status: number }[] = [];
    for (let n = 0; n < 50; n++) {
      const path = `/${sender}/${n}`;
      const response = await fetch(url + path, { method: 'POST', body: '{}' });
      await response.text();
      found.push({ path, status: response.status });
    }
    return found;
  };
  const all = (await Promise.all(Array.from({ length: 8 }, (_, sender) => send(sender)))).flat();
  const accepted = all.filter(({ status }) => status === 202);
  expect(accepted.length + balancer.counts.broken).toBe(400);
  expect(accepted.map(({ path }) => seen.get(path))).toEqual(accepted.map(() => 1));
  expect([...seen.values()].every((times) => times === 1)).toBe(true);
});

test('a backend that has died gets no requests, and those behind it are answered by the other one', async () => {
  const [a, b] = [await backend(), await backend()];
  const { balancer, post } = await balanced(a, b);
  await statuses(4, post);
  const closed = [...a.sockets].map((socket) => once(socket, 'close'));
  a.stop();
  await Promise.all(closed);
  await until('the balancer has noticed', () => balancer.healthy.length === 1);
  expect(await statuses(4, post)).toEqual([202]);
  expect([a.requests.length, b.requests.length]).toEqual([2, 6]);
  expect(balancer.counts.broken).toBe(0);
});

test('an answer streams before its end', async () => {
  const { promise: read, resolve } = Promise.withResolvers<void>();
  const a = await backend((_, response) => {
    response.writeHead(200).write('first');
    void read.then(() => response.end('second'));
  });
  const { balancer, url } = await balanced(a);
  for (let n = 0; n < 2; n++) {
    const response = await fetch(`${url}/x`);
    const chunks: string[] = [];
    for await (const chunk of response.body ?? []) {
      chunks.push(Buffer.from(chunk).toString());
      resolve();
    }
    expect(chunks.join('')).toBe('firstsecond');
  }
  expect(balancer.counts.opened).toBe(1);
});

test('the connection of a sender that left is not used again', async () => {
  const a = await backend((incoming, response) => {
    if (incoming.url === '/stays') response.writeHead(200).write('begun');
    else response.writeHead(202).end();
  });
  const { balancer, url, post } = await balanced(a);
  await statuses(2, post);
  const leaving = new AbortController();
  await fetch(`${url}/stays`, { signal: leaving.signal });
  leaving.abort();
  await until('the backend has lost the connection', () => a.sockets.size === 0);
  expect(await statuses(4, post)).toEqual([202]);
  expect(balancer.counts).toMatchObject({ broken: 0, opened: 2 });
});
