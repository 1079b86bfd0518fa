import { eventItem } from '../../events/event-view.ts';
import type { FailureNotice } from '../notice.ts';

/**
 * The body of a message to a webhook destination (docs/notifications.md). Programs read it, so every value is unchanged
 * from the database.
 */
export function webhookMessage(notice: FailureNotice) {
  return {
    type: 'delivery.failed',
    id: notice.id,
    timestamp: notice.failedAt.toISOString(),
    data: {
      event: eventItem(notice.event),
      error: notice.error,
      attempts: notice.attempts,
      dashboard_url: notice.dashboardUrl,
      // Only in a test of the destination.
      ...(notice.sample && { sample: true }),
    },
  };
}
