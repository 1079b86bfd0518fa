import { isAbsolute, join } from 'node:path';

/**
 * The cache folder of this user's gateways, for files that can be recreated; null when the user has no home folder.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function cacheDirOf(machine: { cacheHome: string | null; home: string | null }): string | null {
  // The specification requires that a relative XDG_CACHE_HOME is ignored.
  if (machine.cacheHome !== null && isAbsolute(machine.cacheHome)) return join(machine.cacheHome, 'webhook-gateway');
  return machine.home === null ? null : join(machine.home, '.cache', 'webhook-gateway');
}
