import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Certificate } from './certificates.ts';

/**
 * A TLS proxy, for one test, to a real Temporal. It requires a client certificate, as a proxy before a cluster does.
 *
 * @param to host:port of a Temporal without TLS
 * @returns host:port of the proxy
 */
export async function mutualTls(to: string, server: Certificate, clientAuthority: string): Promise<string> {
  const [host, port] = to.split(':');
  const streams = new Set<{ destroy(): unknown }>();
  const proxy = createServer(
    { ...server, ca: clientAuthority, requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] },
    (near) => {
      const far = connect(Number(port), host);
      for (const stream of [near, far]) {
        streams.add(stream);
        stream.on('error', () => undefined);
        stream.once('close', () => {
          streams.delete(stream);
          near.destroy();
          far.destroy();
        });
      }
      near.pipe(far).pipe(near);
    },
  );
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(async () => {
    for (const stream of streams) stream.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });
  return `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
