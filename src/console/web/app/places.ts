import { useMay, useSession } from '../api/session.ts';

/**
 * The pages in the order of the navigation: address, name, the key that opens it after `g`, and who sees it.
 * `all`: tokens without a scope, because the page is about the whole gateway.
 */
const places = [
  { to: '/', name: 'Overview', key: 'o', seenBy: null },
  { to: '/incidents', name: 'Incidents', key: 'i', seenBy: null },
  { to: '/events', name: 'Events', key: 'e', seenBy: null },
  { to: '/rejected', name: 'Rejected', key: 'r', seenBy: null },
  { to: '/accounts', name: 'Accounts', key: 'a', seenBy: null },
  { to: '/audit', name: 'Audit log', key: 'l', seenBy: 'all' },
  { to: '/backups', name: 'Backups', key: 'b', seenBy: 'all' },
  { to: '/maintenance', name: 'Maintenance', key: 'm', seenBy: 'all' },
  { to: '/providers', name: 'Providers', key: null, seenBy: null },
  { to: '/tokens', name: 'Tokens', key: null, seenBy: 'admin' },
  { to: '/settings', name: 'Settings', key: null, seenBy: 'all' },
] as const;

/** The pages that the token in use sees. Until its scope is known, it counts as one without, so that the navigation stands still. */
export function usePlaces() {
  const { data } = useSession();
  const mayAdmin = useMay('admin');
  const isScoped = data !== undefined && data.scope !== null;
  return places.filter(({ seenBy }) => (seenBy === 'admin' ? mayAdmin : seenBy === null || !isScoped));
}
