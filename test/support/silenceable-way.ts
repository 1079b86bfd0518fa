import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy to a server, for one test, that can fall silent as behind a firewall that dropped a connection, or cut it. */
export async function silenceableWay(url: URL) {
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(Number(url.port), url.hostname);
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets.splice(0)) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const through = new URL(url);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: through.href,
    address: through.host,
    cut,
    fallSilent() {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}
