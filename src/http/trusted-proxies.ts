import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Checks one entry of `TRUSTED_PROXIES`: an IP address or a CIDR. Returns the mistake as the end of a sentence, or
 * null. Accepts only what `proxy-addr` accepts and what has a single meaning.
 */
export function proxyMistake(part: string): string | null {
  const [address = '', prefix, ...more] = part.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  // Checked with `node:net`, which is strict: other parsers read `10.1` as 10.0.0.1.
  if (isIP(address) === 0 || more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix)))
    return 'must be an address such as 10.0.0.5 or a CIDR such as 10.0.0.0/8';
  if (prefix === undefined) return null;
  if (Number(prefix) > bits) return `has a prefix beyond ${bits}`;
  if (Number(prefix) === 0) return 'would let every client choose its own address';
  const network = ipaddr.parse(address).kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const first = network.networkAddressFromCIDR(part).toString();
  // Most likely a mistake: it would trust a whole network where a single address was meant.
  if (first !== ipaddr.parse(address).toString())
    return `has bits beyond its prefix; write ${first}/${prefix} or ${address}`;
  return null;
}
