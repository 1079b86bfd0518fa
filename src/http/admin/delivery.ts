import { Elysia } from 'elysia';
import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import { deliveryStatistics } from '../../events/delivery-statistics.ts';
import { eventItem } from '../../events/event-view.ts';
import { retry } from '../../events/operate.ts';
import { listFailed, listRetrying } from '../../events/undelivered.ts';
import { noBody, noQuery, operation } from '../api/operation.ts';
import type { AdminCalls } from './admin-calls.ts';
import { operateOnEvent } from './events.ts';
import { optionalInteger } from './query-schemas.ts';
import { deliveryStats } from './schemas/delivery.ts';
import * as schemas from './schemas/event.ts';

/** `/admin/delivery` (specification, section 4.4). */
export function deliveryRoutes(deps: { database: Database; calls: AdminCalls }) {
  const { database, calls } = deps;
  return new Elysia({ name: 'delivery', prefix: '/delivery' })
    .get(
      '/stats',
      () => deliveryStatistics(database.reader),
      operation('delivery.stats', {
        summary: 'Delivery statistics',
        body: noBody,
        query: noQuery,
        success: { 200: deliveryStats },
      }),
    )
    .get(
      '/failed',
      async () => (await listFailed(database.reader)).map(eventItem),
      operation('delivery.failed', {
        summary: 'List events whose delivery failed',
        description: 'The newest 200.',
        body: noBody,
        query: noQuery,
        success: { 200: z.array(schemas.eventItem) },
      }),
    )
    .get(
      '/retrying',
      async ({ query, request }) => {
        calls.of(request).note({ query });
        return (await listRetrying(database.reader, { minAttempts: query.min_attempts ?? 1 })).map(eventItem);
      },
      operation('delivery.retrying', {
        summary: 'List events that are being retried',
        description: 'Those with the most attempts first, at most 200.',
        body: noBody,
        query: z.strictObject({
          min_attempts: optionalInteger(0, 1000, 1),
        }),
        success: { 200: z.array(schemas.eventItem) },
      }),
    )
    .post(
      '/retry/:event_id',
      async ({ params, request, set }) => {
        const call = calls.of(request);
        const what = { database, call, eventId: params.event_id, action: 'delivery.retry' as const };
        const event = await operateOnEvent({ ...what, details: { status: 202 } }, retry);
        set.status = 202;
        return event;
      },
      operation('delivery.retry', {
        summary: 'Attempt a delivery now',
        description: 'One attempt at once, besides the schedule.',
        body: noBody,
        query: noQuery,
        success: { 202: schemas.eventItem },
        answers: 'The attempt is on its way',
        errors: ['not_found', 'event_rejected', 'event_dead', 'conflict'],
      }),
    );
}
