import { getCACertificates } from 'node:tls';

/**
 * The certificate authorities of this machine in PEM, with those of Node's `NODE_EXTRA_CA_CERTS`. A machine without any, as a
 * small container image is, trusts those that Node brings along.
 */
export function systemAuthorities(): string[] {
  const system = getCACertificates('system');
  return [...(system.length > 0 ? system : getCACertificates('bundled')), ...getCACertificates('extra')];
}
