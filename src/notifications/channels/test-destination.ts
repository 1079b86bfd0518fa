import { v7 as uuidv7 } from 'uuid';
import { defaultConsumer, scheduledAttempts } from '../../events/event.ts';
import type { Destination } from '../destinations/destination-store.ts';
import { type FailureNotice, noticeId, type Said, type SendNotice } from '../notice.ts';

const eventType = 'webhook_gateway.test';
const error = 'this is a test; nothing has failed';

/** The fields of an account that its events repeat. */
export interface SampleAccount {
  id: string;
  provider: string;
  account_slug: string;
  app_key: string;
}

/**
 * Sends a sample message to a destination, enabled or not, and returns the outcome. It is not recorded and not retried.
 * Never rejects.
 *
 * @param deps.baseUrl the gateway's public URL, without a trailing slash
 */
export function testDestination(
  { send, baseUrl }: { send: SendNotice; baseUrl: string },
  account: SampleAccount,
  destination: Destination,
): Promise<Said> {
  return send(destination, sampleNotice(baseUrl, account, destination, new Date()), Date.now);
}

function sampleNotice(
  baseUrl: string,
  { id: account_id, provider, account_slug, app_key }: SampleAccount,
  destination: Destination,
  failedAt: Date,
): FailureNotice {
  const id = uuidv7();
  const asksForPayload = destination.destination_type === 'email' && destination.config.include_payload === true;
  return {
    kind: 'delivery_failed',
    id: noticeId({ eventId: id, generation: 0, destinationId: destination.id }),
    sample: true,
    ...{ failedAt, error, attempts: scheduledAttempts },
    event: {
      ...{ id, account_id, provider, account_slug, app_key, event_type: eventType, external_id: id },
      ...{ status: 'failed', delivery_status: 'failed', attempts: scheduledAttempts, generation: 0 },
      ...{
        last_error: error,
        response_code: null,
        rejection_reason: null,
        rejection_detail: null,
        skipped_reason: null,
      },
      ...{ consumer: defaultConsumer, request_id: id, backfilled_at: null, bulk_job_id: null },
      ...{ received_at: failedAt, delivered_at: null, next_attempt_at: null },
      ...{ scheduled_attempts: scheduledAttempts, schedule_of: null, waits_for: null, failed_by_person: null },
    },
    // The sample event does not exist, so the link leads to the list of events.
    dashboardUrl: `${baseUrl}/dashboard/events`,
    payload: asksForPayload
      ? { body: Buffer.from(JSON.stringify({ id, type: eventType })), contentType: 'application/json' }
      : null,
  };
}
