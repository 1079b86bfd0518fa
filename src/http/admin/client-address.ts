import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';
import { networkOf } from '../network.ts';

/**
 * Finds the IP address of a request's client. This is the peer of the connection. If the peer is a trusted proxy, it is
 * the rightmost address in `X-Forwarded-For` that is not a trusted proxy: a client can forge all addresses to its left.
 *
 * @param trustedProxies CIDRs.
 */
export function clientAddresses(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const trusted = proxyaddr.compile([...trustedProxies]);
  const beforeProxies = (request: IncomingMessage, peer: string): string => {
    let found = peer;
    for (const address of proxyaddr.all(request, (hop, index) => trusted(bareAddress(hop), index))) {
      const bare = bareAddress(address);
      // The entry is not an IP address, so the proxy that wrote it is the last known hop.
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

/** Like {@link clientAddresses}, but returns the key for per-client limits: one key for each IPv6 /64 network. */
export function clientNetworks(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const addressOf = clientAddresses(trustedProxies);
  return (request) => networkOf(addressOf(request));
}

/** Removes the client's port, which some proxies append: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
function bareAddress(written: string | undefined): string {
  // A closed connection and a socket that is not TCP have no address.
  if (written === undefined) return 'unknown';
  const address = written.trim();
  return /^\[(.+)\](:\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address;
}
