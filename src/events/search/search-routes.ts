import { Elysia } from 'elysia';
import { z } from 'zod';
import type { AdminCalls } from '../../audit/admin-calls.ts';
import type { Database } from '../../database/database.ts';
import { CallLimit } from '../../http/admin/call-limit.ts';
import { cursor } from '../../http/admin/query-schemas.ts';
import { clientSignal } from '../../http/client-signal.ts';
import { noQuery, operation } from '../../http/operation.ts';
import { filled } from '../../shared/text-rules.ts';
import { slicesOf } from '../bulk/slices.ts';
import { listFilters } from '../event-filters.ts';
import { eventItem, isoOrNull } from '../event-view.ts';
import { searchPayloads, statementLimitMs } from './scan-payloads.ts';
import { foundPayloads } from './search-schemas.ts';

/**
 * Searches at a time in each process use half of the connections for operators' lists. The others wait, at most for
 * four searches of 2 s.
 */
const limits = { atOnce: 2, maxWaiting: 8 };
const defaultLimit = 20;

/** The text is in the body, because proxies write addresses to their logs, and it may be a part of a payload. */
const searchBody = z.strictObject({
  text: filled(200).meta({ description: 'Text to find in the stored body; ASCII letters match in either case' }),
  ...listFilters,
  before: cursor.meta({ description: '`next` of the search before: only events older than this id' }),
  limit: z.int().min(1).max(100).meta({ description: 'The most events to find; 20 by default' }).optional(),
});

/** `/admin/events/search`: finds a text in payloads. */
export function searchRoutes({ database, calls }: { database: Database; calls: AdminCalls }) {
  const searches = new CallLimit({ kind: 'searches', ...limits });
  const connections = { reader: database.reader, slices: slicesOf(database.readers, statementLimitMs) };
  return new Elysia({ name: 'event-search', prefix: '/events' }).post(
    '/search',
    async ({ body, request }) => {
      const { text, limit = defaultLimit, ...filter } = body;
      // Without the text, which may be a part of a payload.
      const call = calls.of(request);
      call.note({ query: filter });
      const { accountIds } = call;
      const signal = clientSignal(request);
      const { events, scanned, stopped, next } = await searches.run(signal, () =>
        searchPayloads(connections, { ...filter, accountIds, text, limit, signal }),
      );
      return {
        events: events.map(eventItem),
        scanned: { ...scanned, from: isoOrNull(scanned.from), to: isoOrNull(scanned.to) },
        ...{ stopped, next },
      };
    },
    operation('event.search', {
      role: 'read',
      scope: 'list',
      summary: 'Search payloads for a text',
      description:
        'Reads the stored bodies of the events that match the filters, newest first, without an index. One call scans at most 20,000 events, 64 MiB and 2 s; `scanned` says how far it came, and `before` with the value of `next` continues there. A body that contains NUL is compared byte by byte.',
      body: searchBody,
      query: noQuery,
      success: { 200: foundPayloads },
      errors: ['too_many_calls'],
      examples: { body: { text: 'order-4711', provider: 'generic' } },
    }),
  );
}
