import type { Mask } from '../secrets/secret-mask.ts';
import { parseTarget } from './target.ts';

/** Masks the secrets in an error of a request to `url`, except in the leading host and port, which are not secret. */
export function maskError(mask: Mask, error: string, url: string): string {
  const target = parseTarget(url);
  const peer = target.ok && error.startsWith(target.peer) ? target.peer : '';
  return `${peer}${mask(error.slice(peer.length))}`;
}
