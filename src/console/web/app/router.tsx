import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import type { Filters } from '../api/filters.ts';
import { loadCode } from '../components/load-code.ts';
import { PageProblem } from './page-problem.tsx';
import { Shell } from './shell.tsx';

// The pages; src/api/console-routes.ts answers to the same addresses.

const root = createRootRoute({
  component: Shell,
  notFoundComponent: lazyRouteComponent(() => loadCode(() => import('../pages/not-found.tsx')), 'NotFound'),
});

const filters = (search: Record<string, unknown>): Filters =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      value === '' || value === undefined ? [] : [[name, String(value)]],
    ),
  );

const page = <Path extends string>(path: Path, load: () => Promise<Record<string, unknown>>, name: string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: filters,
    // biome-ignore lint/suspicious/noExplicitAny: each page module exports its component under this name
    component: lazyRouteComponent(() => loadCode(load as () => Promise<any>), name),
  });

export const router = createRouter({
  basepath: '/dashboard',
  routeTree: root.addChildren([
    page('/', () => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
    page('/incidents', () => import('../pages/incidents/incidents-page.tsx'), 'IncidentsPage'),
    page('/incidents/$incidentId', () => import('../pages/incidents/incident-page.tsx'), 'IncidentPage'),
    page('/events', () => import('../pages/events/events-page.tsx'), 'EventsPage'),
    page('/events/$eventId', () => import('../pages/event/event-page.tsx'), 'EventPage'),
    page('/jobs/$jobId', () => import('../pages/jobs/job-page.tsx'), 'JobPage'),
    page('/rejected', () => import('../pages/rejected/rejected-page.tsx'), 'RejectedPage'),
    page('/accounts', () => import('../pages/accounts/accounts-page.tsx'), 'AccountsPage'),
    page('/accounts/$accountId', () => import('../pages/accounts/account-page.tsx'), 'AccountPage'),
    page('/audit', () => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
    page('/backups', () => import('../pages/backups/backups-page.tsx'), 'BackupsPage'),
    page('/maintenance', () => import('../pages/maintenance/maintenance-page.tsx'), 'MaintenancePage'),
    page('/providers', () => import('../pages/providers/providers-page.tsx'), 'ProvidersPage'),
    page('/tokens', () => import('../pages/tokens/tokens-page.tsx'), 'TokensPage'),
    page('/settings', () => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: PageProblem,
  // As in the API: `?provider=stripe&since=…`, and not as JSON.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const pairs = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
