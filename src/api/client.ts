import { treaty } from '@elysia/eden';
import type { AdminApp } from './admin-routes.ts';

/** A `fetch` with a signal or an error of its own. */
export type AdminFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A typed client of the admin API. The types of paths, queries, bodies, responses and problems are inferred from the
 * routes.
 *
 * ```ts
 * const admin = createAdminClient({ baseUrl: 'http://127.0.0.1:8080', token });
 * const { data, error } = await admin.events.get({ query: { status: 'failed', limit: 10 } });
 * await admin.events({ event_id }).replay.post();
 * ```
 *
 * A problem is not thrown: `error.value` is the problem, with its type by `error.status`, and `data` is null. Times are
 * strings.
 */
export function createAdminClient(options: { baseUrl: string; token: string; fetcher?: AdminFetch }) {
  return treaty<AdminApp>(options.baseUrl, {
    headers: { 'x-admin-token': options.token },
    ...(options.fetcher ? { fetcher: options.fetcher } : {}),
    parseDate: false,
  }).admin;
}

export type AdminApiClient = ReturnType<typeof createAdminClient>;
