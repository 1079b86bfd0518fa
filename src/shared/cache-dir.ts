import { isAbsolute, join } from 'node:path';

/**
 * Where this user's gateways keep what takes long to make and can be made again; null where the user has no such folder.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function cacheDirOf(machine: { cacheHome: string | null; home: string | null }): string | null {
  // That specification says to ignore a relative XDG_CACHE_HOME.
  if (machine.cacheHome !== null && isAbsolute(machine.cacheHome)) return join(machine.cacheHome, 'webhook-gateway');
  return machine.home === null ? null : join(machine.home, '.cache', 'webhook-gateway');
}
