import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type AddressVerdict =
  | { allowed: true }
  /** `range` is the name of the address range for error texts: `private`, `loopback`, `cloud metadata` … */
  | { allowed: false; range: string };

export type AddressGuard = (address: string) => AddressVerdict;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/**
 * The metadata services that serve credentials to cloud machines. 168.63.129.16 (Azure) is in a public range. The
 * others are in refused ranges already; they are listed so that the refusal names the reason.
 */
const metadataAddresses = new Set([
  ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  ...['fd00:ec2::254', 'fd20:ce::254'],
]);

const globalUnicastIPv6 = ipaddr.parseCIDR('2000::/3');

/** Common names for some of ipaddr.js's range names. */
const words: Record<string, string> = {
  linkLocal: 'link-local',
  carrierGradeNat: 'carrier-grade NAT',
  uniqueLocal: 'private',
  rfc6052: 'NAT64',
  teredo: 'Teredo',
};

/** Narrows the union for the compiler, which `kind()` does not do. */
const isIPv4 = (address: Address): address is ipaddr.IPv4 => address.kind() === 'ipv4';

const within = (address: Address, [network, bits]: Network) =>
  address.kind() === network.kind() && address.match(network, bits);

/** The IPv4 address in 32 bits of an IPv6 address, from its 16-bit group `index` on. The bits are XORed with `mask`. */
function ipv4At({ parts }: ipaddr.IPv6, index: number, mask = 0): ipaddr.IPv4 {
  const high = (parts[index] ?? 0) ^ mask;
  const low = (parts[index + 1] ?? 0) ^ mask;
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}

/**
 * The IPv4 address that an IPv6 address contains; null if none. If `stands`, the IPv4 address is checked in place of
 * the IPv6 address. This holds for the mapped form and for NAT64's well-known prefix (returned by DNS64), which are
 * common ways to reach a public IPv4 address. 6to4, Teredo and the compatible form are allowed only by
 * DELIVERY_ALLOWED_NETWORKS.
 */
function embeddedIPv4(address: ipaddr.IPv6): { inner: ipaddr.IPv4; stands: boolean } | null {
  const [first, second] = address.parts;
  const range = address.range();
  if (range === 'ipv4Mapped') return { inner: ipv4At(address, 6), stands: true };
  // 64:ff9b:1::/48 (RFC 8215) is for use inside one network. The position of the IPv4 address in it is not defined.
  if (range === 'rfc6052') return { inner: ipv4At(address, 6), stands: address.parts[2] === 0 };
  if (range === '6to4') return { inner: ipv4At(address, 1), stands: false };
  // RFC 4380 section 4: the client's address is stored inverted.
  if (range === 'teredo') return { inner: ipv4At(address, 6, 0xffff), stands: false };
  if (first === 0 && second === 0 && range === 'unicast') return { inner: ipv4At(address, 6), stands: false };
  return null;
}

function judge(address: Address, networks: Network[]): AddressVerdict {
  if (networks.some((network) => within(address, network))) return { allowed: true };
  if (metadataAddresses.has(address.toString())) return { allowed: false, range: 'cloud metadata' };
  const range = address.range();
  if (isIPv4(address))
    return range === 'unicast' ? { allowed: true } : { allowed: false, range: words[range] ?? range };
  const embedded = embeddedIPv4(address);
  if (embedded) {
    const verdict = judge(embedded.inner, networks);
    const listed = networks.some((network) => within(embedded.inner, network));
    if (embedded.stands || listed || !verdict.allowed) return verdict;
    return { allowed: false, range: words[range] ?? (range === 'unicast' ? 'reserved' : range) };
  }
  if (range !== 'unicast') return { allowed: false, range: words[range] ?? range };
  // ipaddr.js also reports `unicast` for ranges that IANA has not assigned.
  return within(address, globalUnicastIPv6) ? { allowed: true } : { allowed: false, range: 'reserved' };
}

/** Parses a CIDR. A network of IPv4-mapped addresses becomes the corresponding IPv4 network. */
function parseNetwork(cidr: string): Network {
  const [address, bits] = ipaddr.parseCIDR(cidr);
  if (isIPv4(address) || !address.isIPv4MappedAddress() || bits < 96) return [address, bits];
  return [address.toIPv4Address(), bits - 96];
}

/**
 * Returns the guard for addresses that a delivery may connect to: globally routable unicast addresses and those in
 * `allowedNetworks`. It refuses all others (loopback, private, link-local, metadata, carrier-grade NAT, multicast,
 * reserved …), also when an IPv6 address contains one. It refuses text that is not an IP address.
 *
 * Source: https://www.iana.org/assignments/iana-ipv4-special-registry, …/iana-ipv6-special-registry
 *
 * @param allowedNetworks CIDRs, already checked by the configuration
 * @throws Error when an entry is not a CIDR
 */
export function createAddressGuard(allowedNetworks: readonly string[]): AddressGuard {
  const networks = allowedNetworks.map(parseNetwork);
  return (address) => {
    if (isIP(address) === 0) return { allowed: false, range: 'malformed' };
    // ipaddr.js reads `::8.8.8.8` as the mapped form, but the operating system connects to the compatible form.
    return judge(ipaddr.parse(address.replace(/^::(?=\d+\.)/, '0::')), networks);
  };
}

/**
 * Returns the test whether an IP address is in one of these networks.
 *
 * @throws Error when an entry is not a CIDR.
 */
export function createNetworks(cidrs: readonly string[]): (address: string) => boolean {
  const networks = cidrs.map(parseNetwork);
  return (address) => {
    const parsed = ipaddr.process(address);
    return networks.some((network) => within(parsed, network));
  };
}
