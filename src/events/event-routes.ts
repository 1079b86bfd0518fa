import { Elysia } from 'elysia';
import { z } from 'zod';
import type { AdminCalls } from '../audit/admin-calls.ts';
import type { Database } from '../database/database.ts';
import type { CallLimit } from '../http/admin/call-limit.ts';
import { nextPage } from '../http/admin/next-page.ts';
import { cursor, defaultLimit, limit, optionalInteger } from '../http/admin/query-schemas.ts';
import { clientSignal } from '../http/client-signal.ts';
import { directAnswer } from '../http/direct-answer.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { text } from '../shared/text-rules.ts';
import { countLeftOut } from './bulk/matching-events.ts';
import { countMs } from './bulk/order-job.ts';
import { eventFilters, listFilters } from './event-filters.ts';
import * as schemas from './event-schemas.ts';
import { eventItem } from './event-view.ts';
import { eventDetail } from './event-views.ts';
import { filterValues } from './filter-values.ts';
import type { WorkflowLink } from './history-schemas.ts';
import type { EventLists } from './lists.ts';
import { eventNotFound, existingEventId, operateOnEvent, reasonBody } from './operate-on-event.ts';
import { downloadHeaderMeanings, downloadHeaders } from './payload-download.ts';
import { listEvents, readPayload, readWholeEvent } from './read.ts';
import { ack } from './transitions/acknowledged.ts';
import { declareDead } from './transitions/declared-dead.ts';
import { fail } from './transitions/failed.ts';
import { replay, replayFailed } from './transitions/replayed.ts';

/** Finds the workflow of an event in Temporal; null if there is none. */
export type FindWorkflow = (eventId: string) => Promise<WorkflowLink | null>;

const listQuery = z.strictObject({
  ...listFilters,
  before: cursor.meta({ description: 'Cursor of the next page: only events older than the event with this id' }),
  limit,
  offset: optionalInteger(0, 1_000_000_000, 0),
});

const failBody = z
  .strictObject({
    error: text(2000)
      .nullable()
      .meta({ description: 'Why: the `last_error` of the event until the next attempt, and in its timeline for good' }),
    dead: z.boolean().meta({ description: 'Stops the attempts; destinations are not notified' }),
  })
  .partial()
  .nullish();

const { app_key, provider, account_slug, account_id, consumer, since, until } = eventFilters;
const replayFailedQuery = z.strictObject({ app_key, provider, account_slug, account_id, consumer, since, until });

/** `/admin/events` (R46 to R51). */
export function eventRoutes(deps: {
  database: Database;
  lists: EventLists;
  calls: AdminCalls;
  orders: CallLimit;
  findWorkflow: FindWorkflow;
}) {
  const { database, lists, calls, orders } = deps;
  const audited = (request: Request, query: object) => {
    const call = calls.of(request);
    call.note({ query });
    return call;
  };
  return new Elysia({ name: 'events', prefix: '/events' })
    .get(
      '/',
      async ({ query, request, set }) => {
        const call = audited(request, query);
        const { accountIds } = call;
        const { limit = defaultLimit, offset = 0 } = query;
        const events = await lists.run(request, call, (sql) =>
          listEvents(sql, { ...query, accountIds, limit, offset }),
        );
        const next = nextPage(request, '/admin/events', events, limit);
        if (next) set.headers.link = next;
        return events.map(eventItem);
      },
      operation('event.list', {
        role: 'read',
        scope: 'list',
        summary: 'List events',
        description:
          'Newest first, without payload and headers. An event must match all filters. The `Link` header has the address of the next page.',
        body: noBody,
        query: listQuery,
        success: { 200: z.array(schemas.eventItem) },
        errors: ['too_many_calls'],
        headers: {
          Link: 'Address of the next page; absent if this page has fewer entries than `limit`: `</admin/events?…>; rel="next"`',
        },
      }),
    )
    .get(
      '/filters',
      async ({ request }) => {
        const call = calls.of(request);
        return lists.run(request, call, (sql) => filterValues(sql, call.accountIds));
      },
      operation('event.filters', {
        role: 'read',
        scope: 'list',
        summary: 'List values for the filters of events',
        description: 'For a token with a scope: the values of its newest 1,000 events, and of its accounts.',
        body: noBody,
        query: noQuery,
        success: { 200: schemas.filterValues },
        errors: ['too_many_calls'],
      }),
    )
    .get(
      '/:event_id',
      async ({ params }) => {
        const id = existingEventId(params.event_id);
        const whole = await readWholeEvent(database, id);
        if (!whole) throw eventNotFound();
        // An event that was never started has no workflow, so Temporal need not be asked.
        return eventDetail(whole, whole.started ? await deps.findWorkflow(id) : null);
      },
      operation('event.read', {
        role: 'read',
        scope: 'path',
        summary: 'Get an event with payload, attempts and notifications',
        body: noBody,
        query: noQuery,
        success: { 200: schemas.event },
        errors: ['not_found'],
      }),
    )
    .get(
      '/:event_id/payload',
      async ({ params, request }) => {
        const id = existingEventId(params.event_id);
        const payload = await readPayload(database.reader, id);
        if (!payload) throw eventNotFound();
        return directAnswer(request, { headers: downloadHeaders(id, payload), body: payload.body, isShared: false });
      },
      operation('event.payload', {
        role: 'read',
        scope: 'path',
        summary: 'Download the body of an event',
        description:
          'The bytes as they were received. The content type is always `application/octet-stream`, and browsers save the bytes as a file, because senders choose what they are.',
        body: noBody,
        query: noQuery,
        success: { 200: schemas.payloadBytes },
        contentType: 'application/octet-stream',
        headers: downloadHeaderMeanings,
        errors: ['not_found'],
      }),
    )
    .post(
      '/:event_id/replay',
      async ({ params: { event_id: eventId }, body, request, set }) => {
        const order = { action: 'replay', status: 202, reason: body?.reason } as const;
        const event = await operateOnEvent(deps, { request, eventId }, order, replay);
        set.status = 202;
        return event;
      },
      operation('event.replay', {
        role: 'operate',
        scope: 'path',
        summary: 'Replay an event',
        description:
          'Starts a new generation: ten more attempts with the original payload, the first one at once. Also works for dead events.',
        body: reasonBody,
        query: noQuery,
        success: { 202: schemas.eventItem },
        answers: 'The replay was accepted',
        errors: ['not_found', 'event_rejected', 'event_skipped', 'conflict'],
        examples: { body: { reason: 'the consumer was repaired' } },
      }),
    )
    .post(
      '/replay-failed',
      async ({ query, request, set }) => {
        const call = audited(request, query);
        const filter = { ...query, accountIds: call.accountIds };
        const leftOut = await orders.run(clientSignal(request), () =>
          countLeftOut(database.reader, { ...filter, delivery_status: 'failed' }, countMs),
        );
        const replayed = await database.transaction(async (sql) => {
          const count = await replayFailed(sql, filter, call.actor);
          await call.record(sql, 'event.replay_failed', { status: 202, replayed: count });
          return count;
        });
        set.status = 202;
        return { replayed, left_out: leftOut };
      },
      operation('event.replay_failed', {
        role: 'operate',
        scope: 'list',
        summary: 'Replay all failed events',
        description:
          'Replays every event whose `status` or `delivery_status` is `failed`, except rejected events and those that a person has acknowledged or declared dead. An event must match all filters.',
        body: noBody,
        query: replayFailedQuery,
        success: { 202: schemas.replayed },
        answers: 'The replays were accepted',
        errors: ['too_many_calls'],
      }),
    )
    .post(
      '/:event_id/ack',
      async ({ params: { event_id: eventId }, body, request }) =>
        operateOnEvent(deps, { request, eventId }, { action: 'ack', status: 200, reason: body?.reason }, ack),
      operation('event.ack', {
        role: 'operate',
        scope: 'path',
        summary: 'Acknowledge an event',
        description: 'Marks the event as processed by the consumer, and stops its attempts.',
        body: reasonBody,
        query: noQuery,
        success: { 200: schemas.eventItem },
        errors: ['not_found', 'event_skipped'],
        examples: { body: { reason: 'booked by hand' } },
      }),
    )
    .post(
      '/:event_id/fail',
      async ({ params: { event_id: eventId }, body, request }) => {
        const { error = null, dead = false } = body ?? {};
        const order = { action: dead ? 'dead' : 'fail', status: 200, reason: error, dead } as const;
        return operateOnEvent(deps, { request, eventId }, order, (sql, id) =>
          dead ? declareDead(sql, id, error) : fail(sql, id, error),
        );
      },
      operation('event.fail', {
        role: 'operate',
        scope: 'path',
        summary: 'Mark an event as failed',
        description: 'Marks the event as not processed by the consumer. Attempts continue unless `dead` is true.',
        body: failBody,
        query: noQuery,
        success: { 200: schemas.eventItem },
        errors: ['not_found', 'event_skipped'],
        examples: { body: { error: 'the order does not exist', dead: true } },
      }),
    );
}
