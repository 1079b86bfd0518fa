/** The states of an event (docs/concepts.md). */
export const eventStatuses = ['received', 'enqueued', 'processed', 'failed', 'dead', 'rejected'] as const;
export type EventStatus = (typeof eventStatuses)[number];

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export type Trigger = 'schedule' | 'manual';

/** Identifies one attempt. An attempt of this name is recorded at most once. */
export interface AttemptName {
  eventId: string;
  generation: number;
  trigger: Trigger;
  /** Counts from 1, separately for each trigger and generation. */
  number: number;
}

export const scheduledAttempts = 10;

/** `started_generation` of an event for which no workflow was started yet; generations count from 0. */
export const neverStarted = -1;

/** An event as the lists show it; the other columns of the table are internal. */
export interface EventRow {
  id: string;
  account_id: string;
  provider: string;
  account_slug: string;
  app_key: string;
  event_type: string | null;
  external_id: string;
  status: EventStatus;
  delivery_status: DeliveryStatus | null;
  attempts: number;
  last_error: string | null;
  response_code: number | null;
  generation: number;
  received_at: Date;
  delivered_at: Date | null;
  next_attempt_at: Date | null;
  rejection_reason: string | null;
  /** The name of the consumer. */
  consumer: string;
  /** The webhook: the id of its first event. */
  request_id: string;
  /** Why no consumer gets the webhook; null: one does. */
  skipped_reason: string | null;
  /** When a backfill made the event; null: it was made with the webhook. */
  backfilled_at: Date | null;
}

/** The name of the consumer that every account has. */
export const defaultConsumer = 'default';

/** The name of the consumer of an event, for a statement in which `events` has the alias `e`. */
export const consumerName = `coalesce((select c.name from consumers c where c.id = e.consumer_id), 'default')`;

/** The columns of `EventRow`, for a statement in which `events` has the alias `e`. */
export const eventColumns = `e.id, e.account_id, e.provider, e.account_slug, e.app_key, e.event_type, e.external_id, e.status,
  e.delivery_status, e.attempts, e.last_error, e.response_code, e.generation, e.received_at, e.delivered_at,
  e.next_attempt_at, e.rejection_reason, ${consumerName} as consumer, coalesce(e.request_id, e.id) as request_id,
  e.skipped_reason, e.backfilled_at`;

/** The notification channels (LISTEN/NOTIFY) on which committed changes wake the relay. */
export const channels = { queue: 'gateway_queue', commands: 'gateway_commands' } as const;
