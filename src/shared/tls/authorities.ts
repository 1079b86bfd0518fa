import { getCACertificates } from 'node:tls';

/**
 * The certificate authorities of this machine in PEM, and those in `NODE_EXTRA_CA_CERTS`. If the machine has none, as
 * in a small container image, Node's bundled ones are used.
 */
export function systemAuthorities(): string[] {
  const system = getCACertificates('system');
  return [...(system.length > 0 ? system : getCACertificates('bundled')), ...getCACertificates('extra')];
}
