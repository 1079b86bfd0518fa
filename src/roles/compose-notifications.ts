import type { Database } from '../database/database.ts';
import type { Sender } from '../delivery/send.ts';
import { defaultBurstMs } from '../notifications/bursts.ts';
import { createChannels } from '../notifications/channels/channels.ts';
import { dashboardLinks } from '../notifications/links.ts';
import { defaultWaitsMs } from '../notifications/retries.ts';
import { DestinationSlots } from '../notifications/sending/destination-slots.ts';
import { Notifier } from '../notifications/sending/notifier.ts';
import { OverdueNotifications } from '../notifications/sending/overdue-notifications.ts';
import { Summaries } from '../notifications/sending/summaries.ts';
import type { NotificationSettings } from '../notifications/settings.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Log } from '../shared/log.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';

/** The part of a claim's lease that is left for recording the outcome of a try. */
const recordingMs = 15_000;

/** The part of a worker that sends notifications. */
export interface NotificationSide {
  notifier: Notifier;
  /** Pollers that run in addition to the workflows. */
  pollers: { start(): void; stop(): Promise<void> }[];
}

export interface NotificationParts {
  database: Database;
  box: SecretBox;
  sender: Sender;
  timeLimitMs: number;
  notifications: NotificationSettings;
  /** The seconds after its due time from which a notification counts as overdue. */
  overdueS: number;
  /** Shorter waits between the tries of a notification and a shorter window of NOTIFY_BURST, for tests. */
  times?: { waitsMs?: number[]; burstMs?: number };
  metrics: Metrics;
  log: Log;
}

/** Composes the notification part without starting it. */
export function composeNotifications(options: NotificationParts): NotificationSide {
  const { database: sql, box, sender, timeLimitMs, overdueS, metrics, log } = options;
  const { burst, mail, baseUrl } = options.notifications;
  const { waitsMs = defaultWaitsMs, burstMs: windowMs = defaultBurstMs } = options.times ?? {};
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
    pollers: [new OverdueNotifications({ sql, notifier, slots, overdueS, log }), new Summaries(deps)],
  };
}
