import { Elysia } from 'elysia';
import { z } from 'zod';
import type { AdminCalls } from '../audit/admin-calls.ts';
import type { Database } from '../database/database.ts';
import type { CallLimit } from '../http/admin/call-limit.ts';
import { clientSignal } from '../http/client-signal.ts';
import { noBody, operation } from '../http/operation.ts';
import { slicesOf } from './bulk/slices.ts';
import { listFilters } from './event-filters.ts';
import { countMs, countRejected } from './rejected-counts.ts';
import { rejectedCounts } from './rejected-schemas.ts';

const { app_key, provider, event_type, account_slug, account_id, external_id, since, until, incident } = listFilters;
const countsQuery = z.strictObject({
  ...{ app_key, provider, event_type, account_slug, account_id, external_id, since, until, incident },
});

/** `GET /admin/events/rejected` */
export function rejectedRoutes(deps: { database: Database; calls: AdminCalls; counts: CallLimit }) {
  const { database, calls, counts } = deps;
  const sql = slicesOf(database.readers, countMs);
  return new Elysia({ name: 'rejected', prefix: '/events/rejected' }).get(
    '/',
    async ({ query, request }) => {
      const call = calls.of(request);
      call.note({ query });
      const signal = clientSignal(request);
      const filter = { ...query, accountIds: call.accountIds };
      return counts.run(signal, () => countRejected(sql, filter, signal));
    },
    operation('event.rejected', {
      role: 'read',
      scope: 'list',
      summary: 'Count rejected webhooks by account and reason',
      description:
        'Counts the rejected webhooks that are kept; further ones are only counted (`rejected_today` of `GET /admin/delivery/stats`). A webhook must match all filters.',
      body: noBody,
      query: countsQuery,
      success: { 200: rejectedCounts },
      errors: ['too_many_calls'],
    }),
  );
}
