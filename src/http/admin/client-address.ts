import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';
import { networkOf } from '../network.ts';

/**
 * Finds the address of the client of a request: the peer of its connection, or, where that is a trusted proxy, the last
 * address of `X-Forwarded-For` that is none. What stands further left a client may have made up.
 *
 * @param trustedProxies CIDRs.
 */
export function clientAddresses(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const trusted = proxyaddr.compile([...trustedProxies]);
  const beforeProxies = (request: IncomingMessage, peer: string): string => {
    let found = peer;
    for (const address of proxyaddr.all(request, (hop, index) => trusted(bareAddress(hop), index))) {
      const bare = bareAddress(address);
      // A proxy that writes something else than an address is the last that is known.
      if (isIP(bare) === 0) break;
      found = bare;
    }
    return found;
  };
  return (request) => {
    const peer = request.socket.remoteAddress ?? 'unknown';
    const found = request.headers['x-forwarded-for'] === undefined ? peer : beforeProxies(request, peer);
    return isIP(found) === 6 ? ipaddr.process(found).toString() : found;
  };
}

/** The same as keys for what is counted by client: the addresses of one IPv6 network are one. */
export function clientNetworks(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const addressOf = clientAddresses(trustedProxies);
  return (request) => networkOf(addressOf(request));
}

/** Some proxies write the client's port too: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
function bareAddress(written: string | undefined): string {
  // A client that has left, or a socket of another family, has none.
  if (written === undefined) return 'unknown';
  const address = written.trim();
  return /^\[(.+)\](:\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address;
}
