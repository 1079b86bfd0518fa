import type { DestinationSettings } from '../destinations/destination-config.ts';
import type { EventRow } from '../events/event.ts';

/** An event of which every attempt has failed, as one destination is told of it. */
export interface FailureNotice {
  kind: 'delivery_failed';
  /** Names this message for good, whoever sends it again: see `noticeId`. */
  id: string;
  /** An operator tries the destination out: nothing has failed, and every message says so. */
  sample: boolean;
  /** When the delivery failed for good. */
  failedAt: Date;
  /** As the lists show it. */
  event: EventRow;
  /** Why the last attempt failed. */
  error: string;
  /** How many attempts the generation had had by then. */
  attempts: number;
  /** The event's page in the dashboard. */
  dashboardUrl: string;
  /** As received; null unless the destination asks for it. */
  payload: { body: Uint8Array; contentType: string | null } | null;
}

/** Events that came too thick to be told of one by one. */
export interface SummaryNotice {
  kind: 'summary';
  id: string;
  /** The account whose events they are. */
  account: { provider: string; account_slug: string; app_key: string };
  /** How many there were; more than `first` holds, maybe. */
  events: number;
  /** When the first and the last of them failed for good. */
  since: Date;
  until: Date;
  /** The first few, oldest first. */
  first: { id: string; event_type: string | null; error: string; dashboardUrl: string }[];
  /** A list of all of them in the dashboard. */
  dashboardUrl: string;
}

export type Notice = FailureNotice | SummaryNotice;

/**
 * The idempotency key of a notification: the same event, generation and destination are the same message, however often
 * it has to be sent (docs/notifications.md).
 */
export function noticeId(key: { eventId: string; generation: number; destinationId: string }): string {
  return `${key.eventId}.${key.generation}.${key.destinationId}`;
}

/** What became of one try to hand a message over. */
export type Said =
  | {
      ok: true;
      /** The HTTP status of the answer; null when the message went into the outbox. */
      responseCode: number | null;
      /** The first 16 KiB of the answer, without the destination's secrets. */
      responseBody: string | null;
      durationMs: number;
      /** Where the message was written, when there is no service to send it. */
      outboxFile: string | null;
    }
  | {
      ok: false;
      /** As in a delivery history (`http_error`, `timeout` …), or `mail_not_configured`. */
      outcome: string;
      /** For people; holds no secret. */
      error: string;
      responseCode: number | null;
      responseBody: string | null;
      /** What a 429 or 503 asked for. */
      retryAfterMs: number | null;
      /** Trying again would come to the same. */
      permanent: boolean;
      durationMs: number;
    };

/** Hands a message to a destination. Never rejects: whatever goes wrong is in the answer. */
export type SendNotice = (settings: DestinationSettings, notice: Notice) => Promise<Said>;
