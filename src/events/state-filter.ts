import { waitsFor } from './event.ts';
import type { EventFilters } from './event-filters.ts';
import type { EventState } from './event-state.ts';

/**
 * Where the events of a state are found: in the whole table, in the queue, or in both. If in both, the condition of the queue
 * holds for all of them. The texts are conditions on `events`
 * with the alias `e`.
 */
interface Places {
  table?: string;
  queue?: string;
}

/**
 * The states of `eventState` as conditions. Each names the generated columns that its index has (migrations/schema/events.sql),
 * so that it is found among two million events without reading the others.
 */
export const placesOfState: Record<EventState, Places> = {
  // What waits for the end of a pause is in the queue. What waits for its first attempt is there, or its workflow makes it.
  waiting: {
    table: 'e.due_at is not null and e.retries is null',
    queue: `e.delivery_status = 'pending' and (e.retries is null or ${waitsFor} is not null)`,
  },
  retrying: { table: `e.retries is not null and ${waitsFor} is null` },
  delivered: { table: `e.state = 'open' and e.delivery_status = 'delivered'` },
  exhausted: { table: `e.undelivered and e.state = 'failed' and e.failed_by_person is not true` },
  acknowledged: { table: `e.state = 'processed'` },
  // The index events_failed_by_person has the first two conditions.
  failed_by_person: {
    table: `e.state = 'failed' and (e.failed_by_person or e.undelivered is null) and e.delivery_status is distinct from 'pending'`,
  },
  dead: { table: `e.state = 'dead'` },
  rejected: { table: `e.state = 'rejected'` },
  skipped: { table: `e.skipped_reason is not null` },
  ended: { table: `e.undelivered and e.state = 'open'` },
};

/** The condition of a state for an event that is found otherwise. That of the queue holds for all of the state. */
export const conditionOfState = (state: EventState): string => {
  const { table = 'true', queue = table } = placesOfState[state];
  return `(${queue})`;
};

/**
 * Which of the matching events that a person has closed are meant, acknowledged or declared dead: all of them as of the
 * others, none, or only they.
 */
export type Closed = 'as_others' | 'left_out' | 'only';

export const closedConditions: Record<Closed, string | null> = {
  as_others: null,
  left_out: `e.state not in ('processed', 'dead')`,
  only: `e.state in ('processed', 'dead')`,
};

/** Whether a filter says itself which of the closed events are meant: it names a status or a state. */
export const namesClosed = ({ status, state }: Pick<EventFilters, 'status' | 'state'>): boolean =>
  status !== undefined || state !== undefined;
