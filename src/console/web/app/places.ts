import {
  Building2,
  DatabaseBackup,
  KeyRound,
  LayoutDashboard,
  Plug,
  ScrollText,
  Settings,
  ShieldX,
  Siren,
  Webhook,
  Wrench,
} from 'lucide-react';
import { useMay, useSession } from '../api/session.ts';

/**
 * The pages in the order of the navigation: address, name, icon, the key that opens it after `g`, and who sees it.
 * `all`: tokens without a scope, because the page is about the whole gateway.
 */
const places = [
  { to: '/', name: 'Overview', icon: LayoutDashboard, key: 'o', seenBy: null },
  { to: '/incidents', name: 'Incidents', icon: Siren, key: 'i', seenBy: null },
  { to: '/events', name: 'Events', icon: Webhook, key: 'e', seenBy: null },
  { to: '/rejected', name: 'Rejected', icon: ShieldX, key: 'r', seenBy: null },
  { to: '/accounts', name: 'Accounts', icon: Building2, key: 'a', seenBy: null },
  { to: '/audit', name: 'Audit log', icon: ScrollText, key: 'l', seenBy: 'all' },
  { to: '/backups', name: 'Backups', icon: DatabaseBackup, key: 'b', seenBy: 'all' },
  { to: '/maintenance', name: 'Maintenance', icon: Wrench, key: 'm', seenBy: 'all' },
  { to: '/providers', name: 'Providers', icon: Plug, key: null, seenBy: null },
  { to: '/tokens', name: 'Tokens', icon: KeyRound, key: null, seenBy: 'admin' },
  { to: '/settings', name: 'Settings', icon: Settings, key: null, seenBy: 'all' },
] as const;

/** The pages that the token in use sees. Until its scope is known, it counts as one without, so that the navigation stands still. */
export function usePlaces() {
  const { data } = useSession();
  const mayAdmin = useMay('admin');
  const isScoped = data !== undefined && data.scope !== null;
  return places.filter(({ seenBy }) => (seenBy === 'admin' ? mayAdmin : seenBy === null || !isScoped));
}
