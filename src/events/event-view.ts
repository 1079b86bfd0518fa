import type { EventRow } from './event.ts';
import { eventState, type ShownState, type StateParts } from './event-state.ts';
import { rejectionSentence } from './rejection-sentence.ts';

/** A time as the API shows it (ISO 8601), or null. */
export const isoOrNull = (at: Date | null) => at?.toISOString() ?? null;

/** The columns of an event that tell its state. */
export type StateRow = StateParts & Pick<EventRow, 'scheduled_attempts' | 'schedule_of'>;

/** The state of an event as the API shows it, with what belongs to its word. */
export function stateView(event: StateRow): ShownState {
  const { scheduled_attempts: made, schedule_of: of, waits_for } = event;
  // A schedule that was shortened since may have fewer attempts than were made.
  return { state: eventState(event), schedule: of === null ? null : { made, of: Math.max(made, of) }, waits_for };
}

/** An event as the lists show it (docs/admin-api.md). */
export function eventItem(event: EventRow) {
  const { id, account_id, provider, account_slug, app_key, event_type, external_id, status, delivery_status } = event;
  const { attempts, last_error, response_code, generation, rejection_reason, skipped_reason } = event;
  const { consumer, request_id, bulk_job_id } = event;
  return {
    ...{ id, request_id, account_id, provider, account_slug, consumer, app_key, event_type, external_id },
    ...stateView(event),
    ...{ status, delivery_status, attempts, last_error, response_code, generation },
    received_at: event.received_at.toISOString(),
    delivered_at: isoOrNull(event.delivered_at),
    next_attempt_at: isoOrNull(event.next_attempt_at),
    rejection_reason,
    rejection_explanation: rejection_reason && rejectionSentence(rejection_reason, event.rejection_detail),
    skipped_reason,
    ...{ backfilled_at: isoOrNull(event.backfilled_at), bulk_job_id },
  };
}
