import { v7 as uuidv7 } from 'uuid';
import type { Destination } from '../../destinations/destination-store.ts';
import { scheduledAttempts } from '../../events/event.ts';
import { type FailureNotice, noticeId, type Said, type SendNotice } from '../notice.ts';

const eventType = 'webhook_gateway.test';
const error = 'this is a test; nothing has failed';

/** The account that a test is about, as its events repeat it. */
export interface SampleAccount {
  id: string;
  provider: string;
  account_slug: string;
  app_key: string;
}

/**
 * Sends a sample to a destination, enabled or not, and tells what the service said. Nothing is recorded, and it is not
 * tried again. Never rejects.
 *
 * @param deps.baseUrl how people reach the gateway, without a slash at its end
 */
export function testDestination(
  { send, baseUrl }: { send: SendNotice; baseUrl: string },
  account: SampleAccount,
  destination: Destination,
): Promise<Said> {
  return send(destination, sampleNotice(baseUrl, account, destination, new Date()));
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
      ...{ last_error: error, response_code: null, rejection_reason: null },
      ...{ received_at: failedAt, delivered_at: null, next_attempt_at: null },
    },
    // There is no such event, so the link leads to the list of those that there are.
    dashboardUrl: `${baseUrl}/dashboard/events`,
    payload: asksForPayload
      ? { body: Buffer.from(JSON.stringify({ id, type: eventType })), contentType: 'application/json' }
      : null,
  };
}
