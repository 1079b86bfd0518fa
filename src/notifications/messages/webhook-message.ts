import { eventItem } from '../../events/event-view.ts';
import type { FailureNotice, IncidentNotice, ToldIncident } from '../notice.ts';

/**
 * The body of a message to a webhook destination (docs/notifications.md). Programs read it, so every value is unchanged
 * from the database.
 */
export function webhookMessage(notice: FailureNotice): ReturnType<typeof failureMessage>;
export function webhookMessage(notice: FailureNotice | IncidentNotice): object;
export function webhookMessage(notice: FailureNotice | IncidentNotice) {
  return notice.kind === 'incidents' ? incidentMessage(notice) : failureMessage(notice);
}

function failureMessage(notice: FailureNotice) {
  return {
    type: 'delivery.failed' as const,
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

function incidentMessage({ id, incidents: [incident, ...others], dashboardUrl }: IncidentNotice) {
  if (!incident || others.length > 0) throw new TypeError('webhooks get each incident as a message of its own');
  return {
    type: incident.type,
    id,
    timestamp: incident.at.toISOString(),
    data: {
      incident: incidentView(incident),
      reminder: incident.reminder,
      dashboard_url: dashboardUrl,
    },
  };
}

/** The incident with the names of the admin API. */
function incidentView({ type, reminder: _reminder, at: _at, dashboardUrl: _url, ...incident }: ToldIncident) {
  return {
    ...incident,
    state: type === 'incident.resolved' ? 'resolved' : 'open',
    first_seen_at: incident.first_seen_at.toISOString(),
    last_seen_at: incident.last_seen_at.toISOString(),
  };
}
