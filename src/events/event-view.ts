import type { EventRow } from './event.ts';

/** A time as the API shows it (ISO 8601), or null. */
export const isoOrNull = (at: Date | null) => at?.toISOString() ?? null;

/** An event as the lists show it (docs/admin-api.md). */
export function eventItem(event: EventRow) {
  return {
    id: event.id,
    account_id: event.account_id,
    provider: event.provider,
    account_slug: event.account_slug,
    app_key: event.app_key,
    event_type: event.event_type,
    external_id: event.external_id,
    status: event.status,
    delivery_status: event.delivery_status,
    attempts: event.attempts,
    last_error: event.last_error,
    response_code: event.response_code,
    generation: event.generation,
    received_at: event.received_at.toISOString(),
    delivered_at: isoOrNull(event.delivered_at),
    next_attempt_at: isoOrNull(event.next_attempt_at),
    rejection_reason: event.rejection_reason,
  };
}
