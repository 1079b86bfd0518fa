import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

/** A connection by a proxy to a server that records what it gets. */
async function joined() {
  const far: Socket[] = [];
  const heard = { server: '', client: '', serverEnded: false, clientEnded: false, clientClosed: false };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    far.push(socket);
    socket.setEncoding('utf8').on('data', (text: string) => {
      heard.server += text;
    });
    socket.on('end', () => {
      heard.serverEnded = true;
    });
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = new TcpProxy((server.address() as AddressInfo).port);
  const port = await proxy.listen();
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  client.setEncoding('utf8').on('data', (text: string) => {
    heard.client += text;
  });
  client.on('end', () => {
    heard.clientEnded = true;
  });
  client.on('close', () => {
    heard.clientClosed = true;
  });
  client.on('error', () => undefined);
  onTestFinished(() => {
    client.destroy();
    proxy.close();
    for (const socket of far) socket.destroy();
    server.close();
  });
  client.write('hello');
  await until('the server hears the client', () => heard.server === 'hello');
  return { proxy, port, client, heard, server: () => far[0] };
}

test('a cut resets connections and new ones until it ends', async () => {
  const { proxy, port, heard } = await joined();
  proxy.begin({ kind: 'cut' });
  await until('the client hears of it', () => heard.clientClosed);
  const refused = connect(port, '127.0.0.1');
  const [error] = await once(refused, 'error');
  expect(error.code).toBe('ECONNRESET');
  proxy.end();
  const again = connect(port, '127.0.0.1');
  again.on('error', () => undefined);
  again.write(' again');
  await until('the server hears the new connection', () => heard.server === 'hello again');
  again.destroy();
});

test('a delay keeps the order of all pieces, also at its end', async () => {
  const { proxy, client, heard } = await joined();
  client.setNoDelay(true);
  proxy.begin({ kind: 'delay', delayMs: 100 });
  for (let n = 0; n < 5; n++) client.write(` ${n}`);
  await new Promise((resolve) => setTimeout(resolve, 20));
  proxy.end();
  for (let n = 5; n < 10; n++) client.write(` ${n}`);
  await until('all arrived', () => heard.server.length >= 'hello 0 1 2 3 4 5 6 7 8 9'.length);
  expect(heard.server).toBe('hello 0 1 2 3 4 5 6 7 8 9');
});

test('after a half-close one side is told and the other hears nothing until the fault ends', async () => {
  const { proxy, client, heard, server } = await joined();
  proxy.begin({ kind: 'half-close', side: 'server' });
  await until('the server is told', () => heard.serverEnded);
  server()?.write('into the void');
  client.write('into the void');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(heard).toMatchObject({ server: 'hello', client: '', clientEnded: false, clientClosed: false });
  proxy.end();
  await until('the client is told', () => heard.clientClosed);
});

test('in silence neither side of a connection hears anything until it ends, and new ones are not concerned', async () => {
  const { proxy, port, client, heard, server } = await joined();
  proxy.begin({ kind: 'silence' });
  server()?.write('into the void');
  client.write('into the void');
  const another = connect(port, '127.0.0.1');
  another.on('error', () => undefined);
  another.write(' again');
  await until('the server hears the new connection', () => heard.server.endsWith('again'));
  expect(heard).toEqual({
    ...{ server: 'hello again', client: '' },
    ...{ serverEnded: false, clientEnded: false, clientClosed: false },
  });
  proxy.end();
  await until('the client is told', () => heard.clientClosed);
  another.destroy();
});
