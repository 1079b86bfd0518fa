import type { EventFilter } from '../list.ts';

/** What a bulk job does with each event: the operation of the same name on one event. */
export const bulkActions = ['replay', 'retry', 'ack', 'dead'] as const;
export type BulkAction = (typeof bulkActions)[number];

/**
 * - `running`: workers change events
 * - `stopping`: an operator or a restore has stopped it; the next worker ends it
 * - `stopped`, `done`, `failed`: ended
 */
export const bulkStates = ['running', 'stopping', 'stopped', 'done', 'failed'] as const;
export type BulkState = (typeof bulkStates)[number];

/** The filters of the list of events. */
export type BulkFilter = Omit<EventFilter, 'before' | 'limit' | 'offset'>;

/** Why an event was left as it is: the refusals of the single operation, and a change since the batch was read. */
export const skipReasons = [
  'not_found',
  'no_longer_matches',
  'event_rejected',
  'event_dead',
  'account_deleted',
  'account_disabled',
  'delivery_paused',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** What became of events. */
export interface Outcome {
  done: number;
  failed: number;
  skipped: Partial<Record<SkipReason, number>>;
}

/** Events that were looked at: changed, skipped or failed. */
export const matchedOf = ({ done, failed, skipped }: Outcome) =>
  done + failed + Object.values(skipped).reduce((sum, count) => sum + count, 0);

/** A job as operators see it. */
export interface BulkJob extends Outcome {
  id: string;
  action: BulkAction;
  /** As it was sent; null if the job has ids. */
  filter: Record<string, string> | null;
  /** The number of given ids; null if the job has a filter. */
  ids: number | null;
  state: BulkState;
  /** Why it was stopped or failed. */
  reason: string | null;
  ordered_by: string;
  /** Events that matched when the job was ordered; null: more than were counted. */
  total: number | null;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
}

/** A new job. Of `filter` and `ids` one is null. */
export interface NewBulkJob {
  id: string;
  action: BulkAction;
  error: string | null;
  filter: Record<string, string> | null;
  /** Sorted, each once. */
  ids: string[] | null;
  orderedBy: string;
  orderedFrom: string;
  total: number | null;
  /** With a filter: the newest event, which is the last of the job; null if there is no event. */
  lastEvent: string | null;
  sliceMs: number;
}
