import type { Mask } from '../secrets/secret-mask.ts';
import { parseTarget } from './target.ts';

/**
 * An error of a request to `url`, masked. The host at its beginning is no secret, even where a secret is a part of it.
 */
export function maskError(mask: Mask, error: string, url: string): string {
  const target = parseTarget(url);
  const peer = target.ok && error.startsWith(target.peer) ? target.peer : '';
  return `${peer}${mask(error.slice(peer.length))}`;
}
