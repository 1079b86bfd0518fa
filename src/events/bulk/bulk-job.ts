/** What a bulk job does with each event: the operation of the same name on one event. */
export const bulkActions = ['replay', 'retry', 'ack', 'dead'] as const;
export type BulkAction = (typeof bulkActions)[number];

/**
 * - `running`: workers change events
 * - `stopping`: an operator or a restore has stopped it; the next worker ends it
 * - `stopped`, `done`, `failed`: ended
 */
export const bulkStates = ['running', 'stopping', 'stopped', 'done', 'failed'] as const;

/** Why an event was left as it is: the refusals of the single operation, and a change since the batch was read. */
export const skipReasons = [
  'not_found',
  'no_longer_matches',
  'event_rejected',
  'event_skipped',
  'event_dead',
  'account_deleted',
  'consumer_deleted',
  'account_disabled',
  'consumer_disabled',
  'delivery_paused',
  'consumer_paused',
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
