import type { EventRow } from '../events/event.ts';
import type { IncidentChange } from '../incidents/incident.ts';
import type { DestinationSettings } from './destinations/destination-config.ts';
import type { DestinationKind } from './destinations/destination-kinds.ts';

/** The content of a message to one destination about an exhausted event. */
export interface FailureNotice {
  kind: 'delivery_failed';
  /** The idempotency key of this message, the same for every try: see `noticeId`. */
  id: string;
  /** True when an operator tests the destination: no event has failed, and the message says so. */
  sample: boolean;
  /** When the event was exhausted. */
  failedAt: Date;
  /** The event as the API's lists show it. */
  event: EventRow;
  /** Why the last attempt failed. */
  error: string;
  /** The number of attempts of the generation at that time. */
  attempts: number;
  /** The event's page in the dashboard. */
  dashboardUrl: string;
  /** The payload as received; null unless the destination's config asks for it. */
  payload: { body: Uint8Array; contentType: string | null } | null;
}

/** The content of one message about several exhausted events, for those beyond the burst limit. */
export interface SummaryNotice {
  kind: 'summary';
  id: string;
  /** The account whose events they are. */
  account: { provider: string; account_slug: string; app_key: string };
  /** The number of events, which may be larger than the length of `first`. */
  events: number;
  /** When the first and the last of them were exhausted. */
  since: Date;
  until: Date;
  /** The first few, oldest first. */
  first: { id: string; event_type: string | null; consumer: string; error: string; dashboardUrl: string }[];
  /** A list of all of them in the dashboard. */
  dashboardUrl: string;
}

/** An incident as it was when it changed, or when a reminder of it was due. */
export interface ToldIncident {
  id: string;
  type: Exclude<DestinationKind, 'delivery.failed'>;
  reminder: boolean;
  /** When it was opened or resolved, or the reminder was due. */
  at: Date;
  kind: IncidentChange['kind'];
  account_id: string;
  provider: string;
  account_slug: string;
  app_key: string;
  /** Null for rejected webhooks. */
  consumer: string | null;
  cause: string;
  first_seen_at: Date;
  last_seen_at: Date;
  /** Failed attempts, or rejected webhooks. */
  attempts: number;
  example_event_id: string | null;
  /** The incident's page in the dashboard. */
  dashboardUrl: string;
}

/** The content of one message about incidents: to a webhook about one of them, else about all that are due. */
export interface IncidentNotice {
  kind: 'incidents';
  id: string;
  /** At least one, oldest change first. */
  incidents: ToldIncident[];
  /** The page of the only incident in the dashboard, or the list of incidents. */
  dashboardUrl: string;
}

export type Notice = FailureNotice | SummaryNotice | IncidentNotice;

/**
 * The idempotency key of a notification. All tries of a message about one event, generation and destination share it
 * (docs/notifications.md).
 */
export function noticeId(key: { eventId: string; generation: number; destinationId: string }): string {
  return `${key.eventId}.${key.generation}.${key.destinationId}`;
}

/** The outcome of one try to send a message. */
export type Said =
  | {
      ok: true;
      /** The HTTP status of the response; null when the message was written to the outbox. */
      responseCode: number | null;
      /** The first 16 KiB of the response, without the destination's secrets. */
      responseBody: string | null;
      durationMs: number;
      /** The path of the outbox file; null when a service took the message. */
      outboxFile: string | null;
    }
  | {
      ok: false;
      /** As in a delivery history (`http_error`, `timeout` …), or `mail_not_configured`. */
      outcome: string;
      /** A text for operators; contains no secret. */
      error: string;
      responseCode: number | null;
      responseBody: string | null;
      /** The wait that a 429 or 503 asked for. */
      retryAfterMs: number | null;
      /** Whether a retry would fail in the same way. */
      permanent: boolean;
      durationMs: number;
    };

/** The outcome of a try that sent nothing. */
export const notSent = (outcome: string, error: string, { permanent = false, durationMs = 0 } = {}): NotSent => ({
  ...{ ok: false, outcome, error, permanent, durationMs },
  ...{ responseCode: null, responseBody: null, retryAfterMs: null },
});

export type NotSent = Extract<Said, { ok: false }>;

/**
 * Sends a message to a destination. Never rejects: a failure is in the result.
 *
 * @param nowMs the clock of the message's time, with which a date in `Retry-After` is compared.
 */
export type SendNotice = (settings: DestinationSettings, notice: Notice, nowMs: () => number) => Promise<Said>;
