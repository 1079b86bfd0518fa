import ipaddr from 'ipaddr.js';

/**
 * The key for per-client limits: the whole IPv4 address, or the /64 network of an IPv6 address. One client has at least
 * the addresses of a /64 (RFC 6177). A server that listens on `::` sees IPv4 clients as `::ffff:192.0.2.1`.
 */
export function networkOf(address: string): string {
  // Most addresses are IPv4, and the check for IPv6 is slower than this one.
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.toByteArray().slice(0, 8).join('.') : parsed.toString();
}

/**
 * The network by which reports sum up clients: the whole IPv4 address, or the /48 network of an IPv6 address, such as
 * `2001:db8:1::/48`. One site has at most a /48 (RFC 6177), so its 65,536 /64 networks become one line.
 */
export function siteOf(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  const [first = 0, second = 0, third = 0] = ipaddr.IPv6.parse(address).parts;
  return `${new ipaddr.IPv6([first, second, third, 0, 0, 0, 0, 0])}/48`;
}
