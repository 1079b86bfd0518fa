import { ingestionAddress } from '../../../api/providers.ts';
import type { Provider } from '../../../api/types.ts';

/** The address to paste at the provider. That of a support chat has the secret in it. */
export function addressToPaste(provider: Provider, slug: string, secret: string | null): string {
  const address = ingestionAddress(provider, slug);
  if (provider.name !== 'support_chat') return address;
  return `${address}?key=${secret === null || secret === '' ? '…' : encodeURIComponent(secret)}`;
}

/** Whether only this machine or its network reaches the address, so that providers on the internet cannot. */
export function isLocal(address: string): boolean {
  const { hostname } = new URL(address);
  return /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|0\.0\.0\.0|\[)/.test(hostname);
}

/** The title without what it lists in parentheses: `Meta (Facebook, Instagram, …)` is `Meta`. */
export const shortTitle = ({ title }: Provider) => title.replace(/ \(.*/, '');
