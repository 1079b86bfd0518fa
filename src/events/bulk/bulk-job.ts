/** What a bulk job does with each event: the operation of the same name on one event. */
export const bulkActions = ['replay', 'retry', 'ack', 'dead'] as const;
export type BulkAction = (typeof bulkActions)[number];

/** The actions that may have a pace: each makes attempts, and consumers may be slow. */
export const pacedActions: readonly BulkAction[] = ['replay', 'retry'];

/** What a job does: one of these operations, or it makes events of stored webhooks (../backfill/). */
export const jobActions = [...bulkActions, 'backfill'] as const;
type JobAction = (typeof jobActions)[number];

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
  action: JobAction;
  error: string | null;
  filter: Record<string, string> | null;
  /** Sorted, each once. */
  ids: string[] | null;
  /** Why the operator has ordered it. */
  orderReason?: string | null;
  /** The accounts to which the token of the order is limited; null: all. */
  accountIds: readonly string[] | null;
  orderedBy: string;
  orderedFrom: string;
  total: number | null;
  /** With a filter: the lowest id that may match. Default: that of all events. */
  firstEvent?: string;
  /** With a filter: the newest event, which is the last of the job; null if there is no event. */
  lastEvent: string | null;
  sliceMs: number;
  /** The most events changed or made in a second; null: as many as the workers can. */
  perSecond: number | null;
  /** For `backfill`. */
  backfill?: Backfill;
}

/** Whose stored webhooks a backfill looks at, and which consumer gets the events. */
interface Backfill {
  accountId: string;
  /** For `default`, the id of the account. */
  consumerId: string;
  /** The name of the consumer. */
  consumer: string;
  /** What the webhooks must meet besides the condition of the consumer. */
  condition: string | null;
}
