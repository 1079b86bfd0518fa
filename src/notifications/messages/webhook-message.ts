import { eventItem } from '../../events/event-view.ts';
import type { FailureNotice } from '../notice.ts';

/** The body of a message to a webhook destination (docs/notifications.md). */
export interface WebhookMessage {
  type: 'delivery.failed';
  id: string;
  timestamp: string;
  data: {
    event: ReturnType<typeof eventItem>;
    error: string;
    attempts: number;
    dashboard_url: string;
    /** Present only in a test of the destination. */
    sample?: true;
  };
}

/** The message for a webhook destination. Programs read it, so every value is unchanged from the database. */
export function webhookMessage(notice: FailureNotice): WebhookMessage {
  return {
    type: 'delivery.failed',
    id: notice.id,
    timestamp: notice.failedAt.toISOString(),
    data: {
      event: eventItem(notice.event),
      error: notice.error,
      attempts: notice.attempts,
      dashboard_url: notice.dashboardUrl,
      ...(notice.sample && { sample: true }),
    },
  };
}
