/** The dashboard pages that notifications link to. */
export interface DashboardLinks {
  event(id: string): string;
  /** Failed events of an account that were received between two moments, both included. */
  failedEvents(filter: { provider: string; account_slug: string; firstReceived: Date; lastReceived: Date }): string;
}

/** @param baseUrl returns the gateway's public URL, without a trailing slash */
export function dashboardLinks(baseUrl: () => string): DashboardLinks {
  return {
    event: (id) => `${baseUrl()}/dashboard/events/${id}`,
    failedEvents({ provider, account_slug, firstReceived, lastReceived }) {
      // The list's own bounds are exclusive.
      const since = new Date(firstReceived.getTime() - 1).toISOString();
      const until = new Date(lastReceived.getTime() + 1).toISOString();
      const query = new URLSearchParams({ provider, account_slug, delivery_status: 'failed', since, until });
      return `${baseUrl()}/dashboard/events?${query}`;
    },
  };
}
