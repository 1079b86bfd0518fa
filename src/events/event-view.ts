import type { EventRow } from './event.ts';

/** A time as the API shows it (ISO 8601), or null. */
export const isoOrNull = (at: Date | null) => at?.toISOString() ?? null;

/** An event as the lists show it (docs/admin-api.md). */
export function eventItem(event: EventRow) {
  const { id, account_id, provider, account_slug, app_key, event_type, external_id, status, delivery_status } = event;
  const { attempts, last_error, response_code, generation, rejection_reason, skipped_reason } = event;
  const { consumer, request_id } = event;
  return {
    ...{ id, request_id, account_id, provider, account_slug, consumer, app_key, event_type, external_id },
    ...{ status, delivery_status, attempts, last_error, response_code, generation },
    received_at: event.received_at.toISOString(),
    delivered_at: isoOrNull(event.delivered_at),
    next_attempt_at: isoOrNull(event.next_attempt_at),
    ...{ rejection_reason, skipped_reason },
    backfilled_at: isoOrNull(event.backfilled_at),
  };
}
