import type { SenderOptions } from '../../../src/delivery/send.ts';
import { type ChannelDeps, createChannels } from '../../../src/notifications/channels/channels.ts';
import type {
  DestinationSettings,
  DestinationType,
} from '../../../src/notifications/destinations/destination-config.ts';
import type { FailureNotice, IncidentNotice, Notice, SummaryNotice } from '../../../src/notifications/notice.ts';
import type { MailSettings } from '../../../src/notifications/settings.ts';
import { type Seen, sender } from '../../delivery/servers.ts';
import { defaultTimeLimitMs } from '../../support/gateway.ts';
import { secretText } from '../../support/secrets.ts';

const eventId = '01a1fb5c-32dd-7658-a59f-f1f2e11f4782';

/** The notice of a failed event. */
export function failure(
  change: Partial<FailureNotice> = {},
  event: Partial<FailureNotice['event']> = {},
): FailureNotice {
  const at = new Date('2026-11-20T10:00:00.123Z');
  return {
    kind: 'delivery_failed',
    id: `${eventId}.0.01a1fb5c-0000-7000-8000-00000000000d`,
    sample: false,
    failedAt: at,
    event: {
      ...{ id: eventId, account_id: '01a1fb5c-0000-7000-8000-00000000000a', provider: 'generic' },
      ...{ account_slug: 'shop', app_key: 'my-app', event_type: 'order.paid', external_id: 'o-1' },
      ...{ status: 'failed', delivery_status: 'failed', attempts: 10, generation: 0, rejection_reason: null },
      rejection_detail: null,
      ...{ skipped_reason: null, backfilled_at: null, bulk_job_id: null, consumer: 'default', request_id: 'request' },
      ...{ scheduled_attempts: 10, schedule_of: null, waits_for: null, failed_by_person: null },
      ...{ last_error: 'consumer.test:443 refused the connection', response_code: null, received_at: at },
      ...{ delivered_at: null, next_attempt_at: null },
      ...event,
    },
    error: 'consumer.test:443 refused the connection',
    attempts: 10,
    dashboardUrl: `https://gateway.test/dashboard/events/${eventId}`,
    payload: null,
    ...change,
  };
}

export const summary: SummaryNotice = {
  kind: 'summary',
  id: 'summary.1',
  account: { provider: 'generic', account_slug: 'shop', app_key: 'my-app' },
  events: 42,
  since: new Date('2026-11-20T10:00:00.000Z'),
  until: new Date('2026-11-20T10:05:00.000Z'),
  first: [
    {
      id: eventId,
      event_type: null,
      consumer: 'default',
      error: 'timeout',
      dashboardUrl: 'https://gateway.test/dashboard/events/1',
    },
  ],
  dashboardUrl: 'https://gateway.test/dashboard/events?delivery_status=failed',
};

const incidentId = '01a1fb5c-9999-7658-a59f-f1f2e11f4782';

/** The notice of an incident. */
export const incident: IncidentNotice = {
  ...{ kind: 'incidents', id: 'message.1', dashboardUrl: `https://gateway.test/dashboard/incidents/${incidentId}` },
  incidents: [
    {
      ...{ id: incidentId, type: 'incident.opened', reminder: false, kind: 'delivery', consumer: 'billing' },
      ...{ account_id: '01a1fb5c-0000-7000-8000-00000000000a', provider: 'generic', account_slug: 'shop' },
      ...{ app_key: 'my-app', cause: '500 TypeError', attempts: 5, example_event_id: eventId },
      at: new Date('2026-11-20T10:00:12.000Z'),
      first_seen_at: new Date('2026-11-20T10:00:00.000Z'),
      last_seen_at: new Date('2026-11-20T10:00:10.000Z'),
      dashboardUrl: `https://gateway.test/dashboard/incidents/${incidentId}`,
    },
  ],
};

export const noMail: MailSettings = { from: 'gateway@gateway.test', sendgrid: null, outboxDir: null };
export const apiKey = `SG.very-secret.${secretText('sendgrid')}`;
export const sendgridAt = (baseUrl: string): MailSettings => ({ ...noMail, sendgrid: { apiKey, baseUrl } });

export const mailTo = (
  addresses: string[],
  include_payload = false,
): Extract<DestinationSettings, { destination_type: 'email' }> => ({
  destination_type: 'email',
  config: { addresses, include_payload },
});

/** Creates channels, which are closed after the test. They may reach loopback unless `options` say otherwise. */
export function channels(deps: Partial<Omit<ChannelDeps, 'sender'>> = {}, options: Partial<SenderOptions> = {}) {
  const send = createChannels({ sender: sender(options), mail: noMail, timeLimitMs: defaultTimeLimitMs, ...deps });
  return (settings: DestinationSettings, notice: Notice, nowMs = Date.now) => send(settings, notice, nowMs);
}

/** A destination of each type whose service has this origin. */
export const destinationsAt: Record<DestinationType, (origin: string) => [DestinationSettings, MailSettings]> = {
  webhook: (origin) => [
    { destination_type: 'webhook', config: { url: `${origin}/very-secret-path?k=very-secret-value` } },
    noMail,
  ],
  chat_one: (origin) => [
    { destination_type: 'chat_one', config: { webhook_url: `${origin}/services/T0000/B0000/very-secret-token` } },
    noMail,
  ],
  chat_two: (origin) => [
    { destination_type: 'chat_two', config: { webhook_url: `${origin}/api/webhooks/1234/very-secret-token` } },
    noMail,
  ],
  email: (origin) => [mailTo(['on-call@ops.test']), sendgridAt(origin)],
};

/** Headers by their names in lower case. Throws if a name occurs twice. */
export function headersOf(seen: Seen | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  const { rawHeaders = [] } = seen ?? {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (name in headers) throw new Error(`there are two headers ${name}`);
    headers[name] = rawHeaders[at + 1] ?? '';
  }
  return headers;
}
