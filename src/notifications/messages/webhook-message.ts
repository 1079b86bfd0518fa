import { eventItem } from '../../events/event-view.ts';
import type { FailureNotice } from '../notice.ts';

/** The body that a webhook destination gets (docs/notifications.md). */
export interface WebhookMessage {
  type: 'delivery.failed';
  id: string;
  timestamp: string;
  data: {
    event: ReturnType<typeof eventItem>;
    error: string;
    attempts: number;
    dashboard_url: string;
    /** Only on a test of the destination: nothing has failed. */
    sample?: true;
  };
}

/** What a webhook destination is told: programs read it, so every value is as it was stored. */
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
