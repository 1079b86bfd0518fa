import type { HandOverDeps } from '../activities/notify/hand-over.ts';
import { Notifier } from '../activities/notify/notifier.ts';
import { sendNextSummary } from '../activities/notify/summaries.ts';
import type { SecretBox } from './accounts/secret-box.ts';
import type { Database } from './database/database.ts';
import type { Sender } from './delivery/send.ts';
import type { WhenExhausted } from './events/exhaustion.ts';
import { readPause } from './events/pause.ts';
import { Lane } from './lane.ts';
import type { Log } from './log.ts';
import { defaultBurstMs } from './notifications/bursts.ts';
import { createChannels } from './notifications/channels/channels.ts';
import { notesNotifications } from './notifications/exhausted.ts';
import { dashboardLinks } from './notifications/links.ts';
import { overdueNotifications } from './notifications/notification-store.ts';
import { defaultWaitsMs } from './notifications/retries.ts';
import type { NotificationSettings } from './notifications/settings.ts';

/** Room for writing down how a try ended, within its claim. */
const writingMs = 15_000;
/** Summaries come ten minutes late anyhow; a look at a nearly empty table costs nothing. */
const summaryLookMs = 500;
const longestSweepMs = 30_000;
const sweptAtOnce = 100;

/** The part of a worker that tells destinations of exhausted events. */
export interface Notifying {
  notifier: Notifier;
  whenExhausted: WhenExhausted;
  /** What goes on beside the workflows. */
  lanes: Lane[];
  /** Ends the waits for a database that is away. */
  end(): void;
}

export interface NotifyingOptions {
  database: Database;
  box: SecretBox;
  sender: Sender;
  timeLimitMs: number;
  notifications: NotificationSettings;
  /** Seconds past its time after which a notification is looked for. */
  overdueS: number;
  /** Waits between the tries of a notification, and the window of NOTIFY_BURST, for tests in a hurry. */
  times?: { waitsMs?: number[]; burstMs?: number };
  log: Log;
}

/** Puts it together; nothing runs yet. */
export function composeNotifying(options: NotifyingOptions): Notifying {
  const { database, box, sender, timeLimitMs, overdueS, log } = options;
  const { burst, mail, baseUrl } = options.notifications;
  const { waitsMs = defaultWaitsMs, burstMs: windowMs = defaultBurstMs } = options.times ?? {};
  const deps: HandOverDeps & ConstructorParameters<typeof Notifier>[0] = {
    ...{ sql: database, box, waitsMs, log },
    send: createChannels({ sender, mail, timeLimitMs }),
    links: dashboardLinks(baseUrl),
    leaseS: (timeLimitMs + writingMs) / 1000,
  };
  const notifier = new Notifier(deps);
  const ending = new AbortController();
  const sweeper = new Lane({
    name: 'notifications that nobody has sent',
    idleMs: Math.min(longestSweepMs, overdueS * 500),
    log,
    async work() {
      // What is late because of a pause is asked for again when it ends.
      if (await readPause(database)) return 'idle';
      const overdue = await overdueNotifications(database, { overdueS, limit: sweptAtOnce });
      if (overdue.length > 0) log.warn({ notifications: overdue.length }, 'overdue notifications are looked after');
      await Promise.all(overdue.map((one) => notifier.notify(one, ending.signal)));
      return 'idle';
    },
  });
  const summaries = new Lane({
    name: 'summaries of notifications',
    idleMs: summaryLookMs,
    log,
    async work() {
      if (await readPause(database)) return 'idle';
      return (await sendNextSummary(deps, ending.signal)) ? 'more' : 'idle';
    },
  });
  return {
    notifier,
    whenExhausted: notesNotifications({ burst: burst === null ? null : { limit: burst, windowMs } }),
    lanes: [sweeper, summaries],
    end: () => ending.abort(),
  };
}
