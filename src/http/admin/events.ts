import { Elysia } from 'elysia';
import { z } from 'zod';
import type { Sql } from '../../database/database.ts';
import { deliveryStatuses, eventStatuses } from '../../events/event.ts';
import { ack, fail, type Operation, replay, retry } from '../../events/operate.ts';
import { listEvents, readWholeEvent } from '../../events/read.ts';
import { Problem } from '../problem.ts';
import { eventDetail, eventItem, type WorkflowLink } from './event-views.ts';
import { integer, isId, textFilter, time } from './query-schemas.ts';

/** Says where Temporal shows an event's workflow. */
export type FindWorkflow = (eventId: string) => Promise<WorkflowLink | null>;

const listQuery = z.strictObject({
  app_key: textFilter,
  provider: textFilter,
  event_type: textFilter,
  account_slug: textFilter,
  external_id: textFilter,
  status: z.enum(eventStatuses).optional(),
  delivery_status: z.enum(deliveryStatuses).optional(),
  since: time,
  until: time,
  before: z.string().refine(isId, 'must be an event id').optional(),
  limit: integer(1, 1000).prefault('100'),
  offset: integer(0, 1_000_000_000).prefault('0'),
});

const failBody = z
  .strictObject({
    error: z
      .string()
      .max(2000)
      .refine(
        (text) => !text.includes('\u0000') && text.isWellFormed(),
        'must not hold NUL characters or lone surrogates',
      )
      .nullable(),
    dead: z.boolean(),
  })
  .partial()
  .nullish();

const notFound = () => new Problem('not_found', 'there is no event of this id');

function applied(operation: Operation) {
  if (operation.ok) return eventItem(operation.event);
  switch (operation.reason) {
    case 'not_found':
      throw notFound();
    case 'event_rejected':
      throw new Problem('event_rejected', 'the event failed verification, so it is never delivered');
    case 'event_dead':
      throw new Problem('event_dead', 'the event is dead; replay revives it');
    case 'account_deleted':
      throw new Problem('conflict', 'the account of this event was deleted');
    case 'account_disabled':
      throw new Problem('conflict', 'the account of this event is disabled; enable it first');
    default:
      return operation.reason satisfies never;
  }
}

function existing(id: string): string {
  if (!isId(id)) throw notFound();
  return id;
}

/** `/admin/events` (specification, section 4.7). */
export function eventRoutes(deps: { sql: Sql; findWorkflow: FindWorkflow }) {
  const { sql } = deps;
  return new Elysia({ name: 'events', prefix: '/events' })
    .get(
      '/',
      async ({ query, request, set }) => {
        const events = await listEvents(sql, query);
        const last = events.at(-1);
        if (last && events.length === query.limit) {
          const next = new URL(request.url).searchParams;
          next.set('before', last.id);
          next.delete('offset');
          set.headers.link = `</admin/events?${next}>; rel="next"`;
        }
        return events.map(eventItem);
      },
      { query: listQuery },
    )
    .get('/:event_id', async ({ params }) => {
      const id = existing(params.event_id);
      const whole = await readWholeEvent(sql, id);
      if (!whole) throw notFound();
      // What was never started has no workflow to ask for.
      return eventDetail(whole, whole.started ? await deps.findWorkflow(id) : null);
    })
    .post('/:event_id/replay', async ({ params, set }) => {
      const event = applied(await replay(sql, existing(params.event_id)));
      set.status = 202;
      return event;
    })
    .post('/:event_id/ack', async ({ params }) => applied(await ack(sql, existing(params.event_id))))
    .post(
      '/:event_id/fail',
      async ({ params, body }) =>
        applied(await fail(sql, existing(params.event_id), { error: body?.error ?? null, dead: body?.dead ?? false })),
      { body: failBody },
    );
}

/** `/admin/delivery` (specification, section 4.4). */
export function deliveryRoutes(deps: { sql: Sql }) {
  return new Elysia({ name: 'delivery', prefix: '/delivery' }).post('/retry/:event_id', async ({ params, set }) => {
    const event = applied(await retry(deps.sql, existing(params.event_id)));
    set.status = 202;
    return event;
  });
}
