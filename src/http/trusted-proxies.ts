import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Says what is wrong with a setting that names a trusted proxy, an address or a CIDR, as the end of a sentence; null: nothing.
 * What passes here is what `proxy-addr` takes, and means one thing to every reader.
 */
export function proxyMistake(part: string): string | null {
  const [address = '', prefix, ...more] = part.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  // `node:net` is strict; others read `10.1` as 10.0.0.1.
  if (isIP(address) === 0 || more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix)))
    return 'is no address like 10.0.0.5 and no CIDR like 10.0.0.0/8';
  if (prefix === undefined) return null;
  if (Number(prefix) > bits) return `has a prefix beyond ${bits}`;
  if (Number(prefix) === 0) return 'would let every client choose its own address';
  const network = ipaddr.parse(address).kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const first = network.networkAddressFromCIDR(part).toString();
  // Most likely a slip: it would trust a whole network where one address was meant.
  if (first !== ipaddr.parse(address).toString())
    return `has bits beyond its prefix; write ${first}/${prefix} or ${address}`;
  return null;
}
