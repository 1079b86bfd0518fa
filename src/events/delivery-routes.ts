import { Elysia } from 'elysia';
import { z } from 'zod';
import { everything, recordEndOfPause, recordPause } from '../accounts/pause-records.ts';
import type { AdminCalls } from '../audit/admin-calls.ts';
import type { Database } from '../database/database.ts';
import { optionalInteger } from '../http/admin/query-schemas.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { text } from '../shared/text-rules.ts';
import { deliverySeriesAnswer, deliveryStats, pauseState } from './delivery-schemas.ts';
import { deliverySeries } from './delivery-series.ts';
import { deliveryStatistics } from './delivery-statistics.ts';
import * as schemas from './event-schemas.ts';
import { eventItem, isoOrNull } from './event-view.ts';
import { firstAttemptDelay } from './first-attempt-delay.ts';
import type { EventLists } from './lists.ts';
import { operateOnEvent, reasonBody } from './operate-on-event.ts';
import { type Pause, pauseDelivery, readPause, resumeDelivery } from './pause.ts';
import { pendingDeliveries } from './pending-deliveries.ts';
import { recentAttempts } from './recent-attempts.ts';
import type { RejectionLimits } from './rejection-limits.ts';
import { rejectedOfToday } from './rejection-statistics.ts';
import { seriesQuery, spanOf, stepText } from './series-query.ts';
import { retry } from './transitions/retried.ts';
import { listFailed, listRetrying } from './undelivered.ts';
import { workflowBacklog } from './workflow-backlog.ts';

const pauseBody = z
  .strictObject({ reason: text(200).meta({ description: 'Shown to operators while deliveries are paused' }) })
  .partial()
  .nullish();

const shown = ({ since, reason }: Pause) => ({ since: since.toISOString(), reason: reason === '' ? null : reason });

/** `/admin/delivery` (R64, R65). */
export function deliveryRoutes(deps: {
  database: Database;
  lists: EventLists;
  calls: AdminCalls;
  rejectionLimits: RejectionLimits;
}) {
  const { database, lists, calls, rejectionLimits } = deps;
  return new Elysia({ name: 'delivery', prefix: '/delivery' })
    .get(
      '/stats',
      async () => {
        const [pause, statistics, recent, rejectedToday, backlog, pending, delay] = await Promise.all([
          readPause(database.reader),
          deliveryStatistics(database.reader),
          recentAttempts(database.reader),
          rejectedOfToday(database.reader, rejectionLimits),
          workflowBacklog(database.reader),
          pendingDeliveries(database.reader),
          firstAttemptDelay(database.reader),
        ]);
        return {
          paused: pause && shown(pause),
          ...statistics,
          recent_attempts: recent,
          workflow_starts: { waiting: backlog.waiting, since: isoOrNull(backlog.since) },
          rejected_today: rejectedToday,
          oldest_pending_at: isoOrNull(pending.since),
          first_attempt_delay_ms: delay,
        };
      },
      operation('delivery.stats', {
        role: 'read',
        summary: 'Get delivery statistics',
        body: noBody,
        query: noQuery,
        success: { 200: deliveryStats },
      }),
    )
    .get(
      '/series',
      async ({ query, request }) => {
        calls.of(request).note({ query });
        const span = spanOf(query, Date.now());
        const points = await deliverySeries(database.reader, span, query.provider ?? null);
        return {
          from: span.from.toISOString(),
          to: span.to.toISOString(),
          step: stepText(span.stepMs),
          provider: query.provider ?? null,
          points,
        };
      },
      operation('delivery.series', {
        role: 'read',
        summary: 'Get counts and latencies over time',
        description:
          'A point counts what happened from its time until the next point, also of events that were received earlier or deleted since. By the minute for 48 hours, by whole hours for 31 days. Steps are counted from midnight UTC; `from` and `to` are extended to whole steps. At most 1,500 points.',
        body: noBody,
        query: seriesQuery,
        success: { 200: deliverySeriesAnswer },
      }),
    )
    .get(
      '/failed',
      async ({ request }) => {
        const call = calls.of(request);
        return (await lists.run(request, call, (sql) => listFailed(sql, call))).map(eventItem);
      },
      operation('delivery.failed', {
        role: 'read',
        scope: 'list',
        summary: 'List events whose delivery failed',
        description: 'At most 200, newest first.',
        body: noBody,
        query: noQuery,
        success: { 200: z.array(schemas.eventItem) },
        errors: ['too_many_calls'],
      }),
    )
    .get(
      '/retrying',
      async ({ query, request }) => {
        const call = calls.of(request);
        call.note({ query });
        const { accountIds } = call;
        const minAttempts = query.min_attempts ?? 1;
        return (await lists.run(request, call, (sql) => listRetrying(sql, { minAttempts, accountIds }))).map(eventItem);
      },
      operation('delivery.retrying', {
        role: 'read',
        scope: 'list',
        summary: 'List events that are being retried',
        description: 'At most 200, those with the most attempts first.',
        body: noBody,
        query: z.strictObject({
          min_attempts: optionalInteger(0, 1000, 1),
        }),
        success: { 200: z.array(schemas.eventItem) },
        errors: ['too_many_calls'],
      }),
    )
    .post(
      '/retry/:event_id',
      async ({ params: { event_id: eventId }, body, request, set }) => {
        const order = { action: 'retry', status: 202, reason: body?.reason } as const;
        const event = await operateOnEvent(deps, { request, eventId }, order, retry);
        set.status = 202;
        return event;
      },
      operation('delivery.retry', {
        role: 'operate',
        scope: 'path',
        summary: 'Attempt a delivery now',
        description: 'Makes one manual attempt now, independent of the schedule. Refused while deliveries are paused.',
        body: reasonBody,
        query: noQuery,
        success: { 202: schemas.eventItem },
        answers: 'The attempt was accepted',
        errors: ['not_found', 'event_rejected', 'event_skipped', 'event_dead', 'conflict'],
        examples: { body: { reason: 'the consumer was repaired' } },
      }),
    )
    .post(
      '/pause',
      async ({ body, request }) => {
        const call = calls.of(request);
        return database.transaction(async (sql) => {
          const pause = shown(await pauseDelivery(sql, body?.reason ?? ''));
          await recordPause(sql, everything, pause, call.actor);
          await call.record(sql, 'delivery.pause', { status: 200, ...pause });
          return { paused: true, ...pause };
        });
      },
      operation('delivery.pause', {
        role: 'operate',
        summary: 'Pause all deliveries',
        description:
          'Webhooks are still accepted and stored. No attempts are made and no notifications are sent until deliveries are resumed. Attempts in flight are completed. A pause that is already in force keeps its time and reason.',
        body: pauseBody,
        query: noQuery,
        success: { 200: pauseState },
        examples: { body: { reason: 'the shop moves to another data center' } },
      }),
    )
    .post(
      '/resume',
      async ({ request }) => {
        const call = calls.of(request);
        return database.transaction(async (sql) => {
          const ended = await resumeDelivery(sql);
          if (ended) {
            // A restore has begun it without a record.
            await recordPause(sql, everything, shown(ended), null);
            await recordEndOfPause(sql, everything, call.actor);
          }
          await call.record(sql, 'delivery.resume', { status: 200, resumed: ended !== null });
          return { paused: false, since: null, reason: null };
        });
      },
      operation('delivery.resume', {
        role: 'operate',
        summary: 'Resume deliveries',
        description:
          'Waiting deliveries and notifications continue within a minute. Has no effect if deliveries are not paused.',
        body: noBody,
        query: noQuery,
        success: { 200: pauseState },
      }),
    );
}
