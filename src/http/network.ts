import ipaddr from 'ipaddr.js';

/**
 * The key for per-client limits: the whole IPv4 address, or the /64 network of an IPv6 address. One client has at least
 * the addresses of a /64 (RFC 6177).
 */
export function networkOf(address: string): string {
  // Most addresses are IPv4, and the check for IPv6 is slower than this one.
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).toByteArray().slice(0, 8).join('.');
}
