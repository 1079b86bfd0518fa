import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, inject, onTestFinished, test } from 'vitest';
import { Listener } from '../../src/engine/relay/listener.ts';
import { createLog } from '../../src/log.ts';
import { queryOnce } from '../support/gateway-roles.ts';

/** A way to PostgreSQL that can fall silent, as one does behind a firewall that has forgotten a connection. */
async function silenceableWay(url: URL) {
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(Number(url.port), url.hostname);
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const through = new URL(url);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: through.href,
    fallSilent() {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}

test('it stops, also when its connection is dead and nobody has noticed', async () => {
  const server = inject('postgresUrl');
  const way = await silenceableWay(new URL(server));
  const called = { times: 0, next: Promise.withResolvers<void>() };
  const listener = new Listener({
    url: way.url,
    log: createLog('silent'),
    handlers: {
      test_of_listener() {
        called.times += 1;
        called.next.resolve();
      },
    },
  });
  listener.start();
  await called.next.promise;
  called.next = Promise.withResolvers();
  await queryOnce(server, 'notify test_of_listener');
  await called.next.promise;
  expect(called.times).toBe(2);
  way.fallSilent();
  await listener.stop();
}, 30_000);
