import type { DeliveryStatus, EventStatus, WaitsFor } from './event.ts';

/**
 * What the state of an event is called, in one word: docs/concepts.md, "The word for a state". The API, the console and
 * the messages to destinations take it from here.
 */
export const eventStates = [
  'waiting',
  'retrying',
  'delivered',
  'exhausted',
  'acknowledged',
  'failed_by_person',
  'dead',
  'rejected',
  'skipped',
  'ended',
] as const;
export type EventState = (typeof eventStates)[number];

/** What the word is derived from. The names are those of the event's row. */
export interface StateParts {
  status: EventStatus;
  delivery_status: DeliveryStatus | null;
  /** True if a person has set `failed`, and the last failed attempt has not. */
  failed_by_person: boolean | null;
  /** Attempts of the current generation, of either trigger. */
  attempts: number;
  waits_for: WaitsFor | null;
}

/**
 * Derives the word for an event's state. While attempts may follow, it says how the delivery stands; after that, what a
 * person has said about the event wins. `state-filter.ts` has the same as conditions of SQL.
 */
export function eventState(parts: StateParts): EventState {
  const { status, delivery_status, failed_by_person, attempts, waits_for } = parts;
  if (status === 'processed') return 'acknowledged';
  if (status === 'dead' || status === 'rejected') return status;
  switch (delivery_status) {
    case 'pending':
      return attempts > 0 && waits_for === null ? 'retrying' : 'waiting';
    case 'delivered':
      return status === 'failed' ? 'failed_by_person' : 'delivered';
    case 'failed':
      // Only the deletion of its account or consumer ends a delivery without a change of `status`.
      if (status !== 'failed') return 'ended';
      return failed_by_person === true ? 'failed_by_person' : 'exhausted';
    case null:
      return status === 'failed' ? 'failed_by_person' : 'skipped';
    default:
      return delivery_status satisfies never;
  }
}

/** A state in the words that people read, without what is particular to one event. */
export const stateName = (state: EventState): string => state.replaceAll('_', ' ').replace('by person', 'by a person');

/** What the text of an event's state is made of, as the API answers it. */
export interface ShownState {
  state: EventState;
  /** The scheduled attempts that were made, and how many there are; null: none follows. */
  schedule: { made: number; of: number } | null;
  waits_for: WaitsFor | null;
}

/** The state of an event as people read it: `retrying 3/10`, `waiting (paused)`, `delivered`. */
export function stateText({ state, schedule, waits_for }: ShownState): string {
  if (state === 'retrying' && schedule) return `retrying ${schedule.made}/${schedule.of}`;
  if (state === 'waiting' && waits_for) return `waiting (${waits_for.replaceAll('_', ' ')})`;
  return stateName(state);
}
