import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import net from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../support/listen.ts';
import { listenForTest } from '../support/listen-for-test.ts';
import { closedPort, consumer, hook, selfSignedConsumer, sender } from './servers.ts';

/** A TCP server that passes the first packet of each connection, as one request, to the test. */
async function rawServer(onRequest: (socket: net.Socket, number: number) => void) {
  let requests = 0;
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => onRequest(socket, ++requests));
  });
  const port = await listenForTest(server);
  return { url: `http://127.0.0.1:${port}/hook`, port, requests: () => requests, server };
}

const answer = (body: string, extra = '') => `HTTP/1.1 200 OK\r\n${extra}content-length: ${body.length}\r\n\r\n${body}`;

describe('the time limit', () => {
  test('ends a hanging request and its connection', async () => {
    const closed = Promise.withResolvers<void>();
    const { url, port } = await consumer((response) => response.on('close', closed.resolve));
    const result = await sender().post(hook(url, { timeLimitMs: 5_000 }));
    expect(result).toMatchObject({
      outcome: 'timeout',
      responseCode: null,
      error: `127.0.0.1:${port} did not answer within 5 s`,
    });
    await closed.promise;
  });

  test('covers headers that arrive slowly', async () => {
    const { url } = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x-a: 1\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await sender().post(hook(url, { timeLimitMs: 150 }))).toMatchObject({ outcome: 'timeout' });
  });

  test.each([200, 500])('when the body exceeds it, the status %i decides', async (code) => {
    const closed = Promise.withResolvers<void>();
    const { url } = await consumer((response) => {
      response.writeHead(code).write('start');
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => {
        clearInterval(timer);
        closed.resolve();
      });
    });
    const result = await sender().post(hook(url, { timeLimitMs: 5_000 }));
    expect(result).toMatchObject({ outcome: code === 200 ? 'delivered' : 'http_error', responseCode: code });
    expect(result.responseBody).toMatch(/^start\.*$/);
    await closed.promise;
  });

  test('a connection that stood in time is used, although this process was busy until after the limit', async () => {
    const { port } = await consumer((response) => response.end('ok'));
    const lookup = async () => {
      // Longer than the limit of 10 s for a connection. The kernel establishes it as soon as the name is resolved.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_100);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    expect(await sender({ lookup }).post(hook(`http://consumer.test:${port}/hook`))).toMatchObject({
      outcome: 'delivered',
    });
  });

  test('covers name resolution', async () => {
    const answered = Promise.withResolvers<never>();
    const { post } = sender({ lookup: () => answered.promise });
    expect(await post(hook('http://slow.example/', { timeLimitMs: 50 }))).toMatchObject({
      outcome: 'timeout',
      error: 'slow.example:80 could not be connected to within 50 ms',
    });
  });

  test('covers a TLS handshake, and nothing is sent after it', async () => {
    const server = net.createServer((socket) => socket.on('error', () => {}));
    const port = await listenForTest(server);
    expect(await sender().post(hook(`https://127.0.0.1:${port}/`, { timeLimitMs: 50 }))).toMatchObject({
      outcome: 'timeout',
      error: `127.0.0.1:${port} could not be connected to within 50 ms`,
    });
  });

  test('a request that timed out before it was connected is never sent', async () => {
    const resolved = Promise.withResolvers<{ address: string; family: number }[]>();
    const { port, seen, server } = await consumer((response) => response.end());
    const { post } = sender({ lookup: () => resolved.promise });
    const connected = once(server, 'connection');
    expect((await post(hook(`http://slow.example:${port}/`, { timeLimitMs: 50 }))).outcome).toBe('timeout');
    resolved.resolve([{ address: '127.0.0.1', family: 4 }]);
    await connected;
    expect((await post(hook(`http://slow.example:${port}/second`))).outcome).toBe('delivered');
    expect(seen.map(({ path }) => path)).toEqual(['/second']);
  });
});

describe('a connection that fails', () => {
  test('refused', async () => {
    expect(await sender().post(hook(`http://127.0.0.1:${closedPort}/a?token=1`))).toMatchObject({
      outcome: 'connection_refused',
      error: `127.0.0.1:${closedPort} refused the connection`,
    });
  });

  test('refused at each of several addresses', async () => {
    const lookup = async () => [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ];
    expect(await sender({ lookup }).post(hook(`http://two.example:${closedPort}/`))).toMatchObject({
      outcome: 'connection_refused',
      error: `two.example:${closedPort} refused the connection`,
    });
  });

  test('the next address is tried', async () => {
    const { port } = await consumer((response) => response.end());
    const lookup = async () => [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ];
    expect(await sender({ lookup }).post(hook(`http://two.example:${port}/`))).toMatchObject({ outcome: 'delivered' });
  });

  test('an address that takes half a second is not given up for one that refuses', async () => {
    const { port } = await consumer((response) => response.end());
    const lookup = async () => {
      // This process is busy after it has begun to connect. For a connection, that is as if the consumer were far away.
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500));
      return ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    };
    expect(await sender({ lookup }).post(hook(`http://two.example:${port}/`))).toMatchObject({ outcome: 'delivered' });
  });

  test('the address that has accepted the last connection is tried first', async () => {
    const arrivedAt: (string | undefined)[] = [];
    const answer = (response: ServerResponse) => {
      arrivedAt.push(response.socket?.localAddress);
      response.writeHead(200, { connection: 'close' }).end();
    };
    const { port } = await consumer(answer);
    const addresses = ['127.0.0.2', '127.0.0.1'].map((address) => ({ address, family: 4 }));
    const { post } = sender({ lookup: async () => addresses });
    expect(await post(hook(`http://two.example:${port}/`))).toMatchObject({ outcome: 'delivered' });
    const first = createServer((_, response) => answer(response));
    await listen(first, port, '127.0.0.2');
    onTestFinished(() => void first.close());
    expect(await post(hook(`http://two.example:${port}/`))).toMatchObject({ outcome: 'delivered' });
    expect(arrivedAt).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  test('a name that does not exist', async () => {
    const result = await sender().post(hook('http://name.invalid/'));
    expect(result.outcome).toBe('dns_failure');
    // ENOTFOUND or, where there are no name servers, EAI_AGAIN.
    expect(result.error).toMatch(/^name\.invalid could not be resolved: the name .*\((ENOTFOUND|EAI_AGAIN)\)$/);
  });

  test('a self-signed certificate', async () => {
    const { port } = await selfSignedConsumer();
    expect(await sender().post(hook(`https://127.0.0.1:${port}/`))).toMatchObject({
      outcome: 'tls_error',
      error: `TLS with 127.0.0.1:${port} failed: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)`,
    });
  });

  test('https to an http server', async () => {
    const { port } = await consumer((response) => response.end());
    const result = await sender().post(hook(`https://127.0.0.1:${port}/`));
    expect(result.outcome).toBe('tls_error');
    expect(result.error).toMatch(/wrong version number|packet length too long/);
  });

  test('closed without an answer', async () => {
    const { url, port, requests } = await rawServer((socket) => socket.destroy());
    expect(await sender().post(hook(url))).toMatchObject({
      outcome: 'connection_error',
      error: `127.0.0.1:${port} closed the connection before it answered`,
    });
    expect(requests()).toBe(1);
  });

  test('reset without an answer', async () => {
    const { url, requests } = await rawServer((socket) => socket.resetAndDestroy());
    expect(await sender().post(hook(url))).toMatchObject({ outcome: 'connection_error' });
    expect(requests()).toBe(1);
  });

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'is not HTTP/1.1'],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      'status 100 or 101',
    ],
    ['too long a header', `HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`, 'more than 16 KiB of headers'],
  ])('an answer that is not usable: %s', async (_name, bytes, error) => {
    const { url } = await rawServer((socket) => socket.write(bytes));
    const result = await sender().post(hook(url));
    expect(result.outcome).toBe('connection_error');
    expect(result.error).toContain(error);
  });

  test('after the status line: the status decides', async () => {
    const { url } = await rawServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
    expect(await sender().post(hook(url))).toMatchObject({ outcome: 'delivered', responseBody: 'half' });
  });
});

describe('a keep-alive connection that closes as it is reused', () => {
  test.each(['destroy', 'resetAndDestroy'] as const)('%s: the request is repeated', async (end) => {
    const { url, requests } = await rawServer((socket, number) => {
      if (number === 2) socket[end]();
      else socket.write(answer(`request ${number}`));
    });
    const { post } = sender({ connectionsPerOrigin: 1 });
    expect((await post(hook(url))).responseBody).toBe('request 1');
    expect(await post(hook(url))).toMatchObject({ outcome: 'delivered', responseBody: 'request 3' });
    expect(requests()).toBe(3);
  });

  test('the request is repeated only once', async () => {
    const { url, requests } = await rawServer((socket, number) => {
      if (number === 1) socket.write(answer('ok'));
      else socket.destroy();
    });
    const { post } = sender({ connectionsPerOrigin: 1 });
    await post(hook(url));
    expect((await post(hook(url))).outcome).toBe('connection_error');
    expect(requests()).toBe(3);
  });

  test('the request is not repeated after a part of an answer', async () => {
    const { url, requests } = await rawServer((socket, number) => {
      if (number === 1) socket.write(answer('ok'));
      else socket.end('HTTP/1.1 20');
    });
    const { post } = sender({ connectionsPerOrigin: 1 });
    await post(hook(url));
    expect((await post(hook(url))).outcome).toBe('connection_error');
    expect(requests()).toBe(2);
  });
});
