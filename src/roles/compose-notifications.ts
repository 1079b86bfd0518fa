import type { Database } from '../database/database.ts';
import type { Sender } from '../delivery/send.ts';
import { defaultBurstMs } from '../notifications/bursts.ts';
import { createChannels } from '../notifications/channels/channels.ts';
import { createIncidentMessages, createReminders } from '../notifications/incident-messages/incident-messages.ts';
import type { PlaceOf } from '../notifications/incident-messages/place.ts';
import { defaultReminderMs } from '../notifications/incident-messages/reminders.ts';
import { dashboardLinks } from '../notifications/links.ts';
import { defaultWaitsMs } from '../notifications/retries.ts';
import { DestinationSlots } from '../notifications/sending/destination-slots.ts';
import { Notifier } from '../notifications/sending/notifier.ts';
import { OverdueNotifications } from '../notifications/sending/overdue-notifications.ts';
import { createSummaries } from '../notifications/sending/summaries.ts';
import type { NotificationSettings } from '../notifications/settings.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Log } from '../shared/log.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';

/** The part of a claim's lease that is left for recording the outcome of a try. */
const recordingMs = 15_000;

/** One message about incidents a minute is as many as people read. */
const defaultGapMs = 60_000;

/** The part of a worker that sends notifications. */
export interface NotificationSide {
  notifier: Notifier;
  /** Pollers that run in addition to the workflows. */
  pollers: { start(): void; stop(): Promise<void> }[];
}

export interface NotificationParts {
  database: Database;
  box: SecretBox;
  placeOf: PlaceOf;
  sender: Sender;
  timeLimitMs: number;
  notifications: NotificationSettings;
  /** The seconds after its due time from which a notification counts as overdue. */
  overdueS: number;
  /**
   * Shorter waits between the tries of a notification, a shorter window of NOTIFY_BURST, and of messages about incidents
   * a shorter gap and earlier reminders; for tests.
   */
  times?: { waitsMs?: number[]; burstMs?: number; gapMs?: number; reminderMs?: number };
  metrics: Metrics;
  log: Log;
}

/** Composes the notification part without starting it. */
export function composeNotifications(options: NotificationParts): NotificationSide {
  const { database: sql, box, placeOf, sender, timeLimitMs, overdueS, metrics, log } = options;
  const { burst, mail, baseUrl } = options.notifications;
  const { waitsMs = defaultWaitsMs, burstMs: windowMs = defaultBurstMs } = options.times ?? {};
  const { gapMs = defaultGapMs, reminderMs = defaultReminderMs } = options.times ?? {};
  const slots = new DestinationSlots();
  const deps = {
    ...{ sql, box, waitsMs, slots, metrics, log },
    send: createChannels({ sender, mail, timeLimitMs }),
    links: dashboardLinks(baseUrl),
    leaseS: (timeLimitMs + recordingMs) / 1000,
    burstMs: burst === null ? null : windowMs,
  };
  const notifier = new Notifier(deps);
  return {
    notifier,
    pollers: [
      new OverdueNotifications({ sql, notifier, slots, overdueS, log }),
      createSummaries(deps),
      createIncidentMessages({ ...deps, limits: { gapMs, windowMs, burst } }),
      createReminders({ sql, log, placeOf, everyMs: reminderMs }),
    ],
  };
}
