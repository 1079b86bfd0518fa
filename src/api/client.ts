import { treaty } from '@elysia/eden';
import type { AdminApp } from './admin-routes.ts';

/**
 * A typed client of the admin API, inferred from its routes: paths, queries, bodies, answers and problems.
 *
 * ```ts
 * const admin = createAdminClient({ baseUrl: 'http://127.0.0.1:8080', token });
 * const { data, error } = await admin.events.get({ query: { status: 'failed', limit: 10 } });
 * await admin.events({ event_id }).replay.post();
 * ```
 *
 * Nothing throws on a problem: `error.value` is the problem by `error.status`, and `data` is null then. Times stay texts.
 */
export function createAdminClient(options: { baseUrl: string; token: string }) {
  return treaty<AdminApp>(options.baseUrl, {
    headers: { 'x-admin-token': options.token },
    parseDate: false,
  }).admin;
}

export type AdminApiClient = ReturnType<typeof createAdminClient>;
