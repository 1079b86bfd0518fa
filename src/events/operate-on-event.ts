import { z } from 'zod';
import type { AdminCalls } from '../audit/admin-calls.ts';
import type { Database } from '../database/database.ts';
import { afterOthers } from '../database/retried.ts';
import type { Sql } from '../database/sql.ts';
import type { AuditAction } from '../http/admin/actions.ts';
import { Problem } from '../http/problem.ts';
import { isId } from '../shared/is-id.ts';
import { text } from '../shared/text-rules.ts';
import { eventItem } from './event-view.ts';
import { type DoneByOperator, recordActions } from './timeline/event-actions.ts';
import type { Operation } from './transitions/operation.ts';

/** There is no such event. */
export const eventNotFound = () => new Problem('not_found', 'there is no event with this id');

function applied(result: Operation) {
  if (result.ok) return eventItem(result.event);
  switch (result.reason) {
    case 'not_found':
      throw eventNotFound();
    case 'event_rejected':
      throw new Problem('event_rejected', 'the webhook failed verification, so it is never delivered');
    case 'event_skipped':
      throw new Problem(
        'event_skipped',
        'no consumer of the account wants the webhook, so it is not delivered; correct a condition and backfill',
      );
    case 'event_dead':
      throw new Problem('event_dead', 'the event is dead; replay revives it');
    case 'account_deleted':
      throw new Problem('conflict', 'the account of this event was deleted');
    case 'account_disabled':
      throw new Problem('conflict', 'the account of this event is disabled; enable it first');
    case 'consumer_deleted':
      throw new Problem('conflict', 'the consumer of this event was deleted');
    case 'consumer_disabled':
      throw new Problem('conflict', 'the consumer of this event is disabled; enable it first');
    case 'delivery_paused':
      throw new Problem('conflict', 'deliveries are paused; resume them first (POST /admin/delivery/resume)');
    case 'consumer_paused':
      throw new Problem('conflict', 'the consumer of this event or its account is paused; resume it first');
    default:
      return result.reason satisfies never;
  }
}

/** @throws Problem `not_found` for a text that is no id. */
export function existingEventId(id: string): string {
  if (!isId(id)) throw eventNotFound();
  return id;
}

/** Why an operator does it: the field of all orders. */
const orderReason = text(2000).nullable().meta({ description: 'Why, for the timeline of the event' });

/** The body of a command that only takes a reason. */
export const reasonBody = z.strictObject({ reason: orderReason }).partial().nullish();

const auditActions = {
  ...{ replay: 'event.replay', retry: 'delivery.retry', ack: 'event.ack', fail: 'event.fail', dead: 'event.fail' },
} as const satisfies Record<DoneByOperator['action'], AuditAction>;

/** Applies an operator's command to one event, and writes its audit entry and its action, in one transaction. */
export async function operateOnEvent(
  { database, calls }: { database: Database; calls: AdminCalls },
  { request, eventId }: { request: Request; eventId: string },
  {
    action,
    reason = null,
    ...details
  }: Pick<DoneByOperator, 'action'> & {
    status: number;
    reason?: string | null | undefined;
    dead?: boolean;
  },
  operate: (sql: Sql, eventId: string) => Promise<Operation>,
) {
  const call = calls.of(request);
  const id = existingEventId(eventId);
  const result = await afterOthers(() =>
    database.transaction(async (sql) => {
      const done = await operate(sql, id);
      if (!done.ok) return done;
      await recordActions(sql, [id], { action, actor: call.actor, reason, jobId: null });
      await call.record(sql, auditActions[action], { ...details, generation: done.event.generation });
      return done;
    }),
  );
  return applied(result);
}
