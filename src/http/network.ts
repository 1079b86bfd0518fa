import ipaddr from 'ipaddr.js';

/**
 * The key under which a client's share of a limit is counted: an IPv4 address as it is, an IPv6 address by its /64, since
 * a client has that many addresses at least (RFC 6177).
 */
export function networkOf(address: string): string {
  // Most addresses are IPv4, and the check for IPv6 is slower than this one.
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).toByteArray().slice(0, 8).join('.');
}
