import { TcpProxy } from './tcp-proxy.ts';
import { forTest } from './use.ts';

/** A TCP proxy to the server of a URL, for one test. @param localAddress see `TcpProxy` */
export async function proxyTo(server: string, localAddress?: string) {
  const url = new URL(server);
  const proxy = await forTest(new TcpProxy(Number(url.port), localAddress));
  url.host = `127.0.0.1:${await proxy.listen()}`;
  return { proxy, url: url.href, address: url.host };
}
