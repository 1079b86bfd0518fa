import { Elysia } from 'elysia';
import { z } from 'zod';
import type { AdminCalls } from '../../audit/admin-calls.ts';
import type { Database } from '../../database/database.ts';
import type { CallLimit } from '../../http/admin/call-limit.ts';
import { clientSignal } from '../../http/client-signal.ts';
import { streamedAnswer } from '../../http/direct-answer.ts';
import { nodeExchange } from '../../http/node-request.ts';
import { noBody, operation } from '../../http/operation.ts';
import type { Log } from '../../shared/log.ts';
import { mostCounted } from '../bulk/matching-events.ts';
import { listFilters } from '../event-filters.ts';
import { countEvents } from './event-count.ts';
import { EventExports } from './export-events.ts';
import { contentTypes, exportFormats } from './export-lines.ts';
import { lastAnswers } from './last-answers.ts';
import * as schemas from './summary-schemas.ts';

const exportQuery = z.strictObject({ ...listFilters, format: z.enum(exportFormats).optional() });

/** `/admin/events/count`, `/admin/events/answers` and `/admin/events/export`: what a list says of its events together. */
export function summaryRoutes(deps: { database: Database; calls: AdminCalls; counts: CallLimit; log: Log }) {
  const { database, calls, counts, log } = deps;
  const exports = new EventExports(database);
  return new Elysia({ name: 'event-summaries', prefix: '/events' })
    .get(
      '/count',
      async ({ query, request }) => {
        const call = calls.of(request);
        call.note({ query });
        const signal = clientSignal(request);
        const filter = { ...query, accountIds: call.accountIds };
        const { from, to, stepMs, bars, ...counted } = await counts.run(signal, () =>
          countEvents(database, filter, signal),
        );
        return {
          ...counted,
          ...{ from: from.toISOString(), to: to.toISOString(), step_ms: stepMs },
          bars: bars.map(({ atMs, ...bar }) => ({ at: new Date(atMs).toISOString(), ...bar })),
        };
      },
      operation('event.count', {
        role: 'read',
        scope: 'list',
        summary: 'Count events, and when they were received',
        description: `For the filters of the list. Ends after 3 s or ${mostCounted.toLocaleString('en')} events with \`exact: false\`.`,
        body: noBody,
        query: z.strictObject(listFilters),
        success: { 200: schemas.eventCount },
        errors: ['too_many_calls'],
      }),
    )
    .get(
      '/answers',
      async ({ query, request }) =>
        (await lastAnswers(database.reader, query.ids ?? [], calls.of(request).accountIds)).map(
          ({ started_at, ...answer }) => ({
            ...answer,
            started_at: started_at.toISOString(),
          }),
        ),
      operation('event.answers', {
        role: 'read',
        scope: 'list',
        summary: 'Get the first line of the last answer of events',
        description: 'In no order; events without an attempt are left out.',
        body: noBody,
        query: z.strictObject({ ids: schemas.ids }),
        success: { 200: z.array(schemas.lastAnswer) },
      }),
    )
    .get(
      '/export',
      async ({ query, request }) => {
        const { format = 'ndjson', ...given } = query;
        const call = calls.of(request);
        call.note({ query });
        const signal = clientSignal(request);
        signal.throwIfAborted();
        exports.reserve(nodeExchange(request)[1]);
        const filter = { ...given, accountIds: call.accountIds };
        const wanted = { filter, format, requireInForce: () => call.requireInForce() };
        return streamedAnswer(request, {
          headers: {
            'content-type': contentTypes[format],
            'content-disposition': `attachment; filename="events.${format}"`,
            'cache-control': 'no-store',
            'x-content-type-options': 'nosniff',
            'x-accel-buffering': 'no',
          },
          open(response) {
            exports.write(wanted, response, signal).catch((error: unknown) => {
              if (!signal.aborted) log.warn({ err: error }, 'export failed');
              // The head was sent, so a failure can only break the connection: the file must not look complete.
              response.destroy();
            });
          },
        });
      },
      operation('event.export', {
        role: 'read',
        scope: 'list',
        summary: 'Export the events of a list',
        description:
          'All events that match the filters, newest first, as they are read: without payloads, with `answer`, the first line of the last answer of a failed event. `format=csv` (`text/csv`) has a part of the fields; texts that a spreadsheet would evaluate begin with an apostrophe. A connection that breaks before its end means that events are missing.',
        body: noBody,
        query: exportQuery,
        success: { 200: schemas.exportedEvents },
        errors: ['too_many_calls'],
        contentType: ['application/x-ndjson', 'text/csv'],
        headers: { 'Content-Disposition': 'The name of the file: `attachment; filename="events.ndjson"`' },
      }),
    );
}
