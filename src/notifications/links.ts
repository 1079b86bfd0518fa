/**
 * The dashboard pages that notifications link to.
 *
 * @param baseUrl returns the gateway's public URL, without a trailing slash
 */
export function dashboardLinks(baseUrl: () => string) {
  return {
    event: (id: string) => `${baseUrl()}/dashboard/events/${id}`,
    incident: (id: string) => `${baseUrl()}/dashboard/incidents/${id}`,
    incidents: () => `${baseUrl()}/dashboard/incidents`,
    /** Exhausted events of an account that were received between two moments, both included. */
    failedEvents(filter: { provider: string; account_slug: string; firstReceived: Date; lastReceived: Date }) {
      const { provider, account_slug, firstReceived, lastReceived } = filter;
      // The list's own bounds are exclusive.
      const since = new Date(firstReceived.getTime() - 1).toISOString();
      const until = new Date(lastReceived.getTime() + 1).toISOString();
      const query = new URLSearchParams({ provider, account_slug, state: 'exhausted', since, until });
      return `${baseUrl()}/dashboard/events?${query}`;
    },
  };
}

export type DashboardLinks = ReturnType<typeof dashboardLinks>;
