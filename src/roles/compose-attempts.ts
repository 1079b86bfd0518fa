import { AccountMasks } from '../accounts/account-mask.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { Attempts } from '../delivery/attempt/attempt.ts';
import { stallMs } from '../delivery/attempt/stall-times.ts';
import { ConsumerCounts } from '../delivery/consumers/consumer-counts.ts';
import { droppedHeaders } from '../delivery/dropped-headers.ts';
import { createSender, type Sender } from '../delivery/send.ts';
import type { WhenExhausted } from '../events/transitions/exhausted.ts';
import { FailureCounts } from '../incidents/counting/failure-counts.ts';
import type { IncidentPace } from '../incidents/judging/times.ts';
import { addNotifications } from '../notifications/add-notifications.ts';
import { defaultBurstMs } from '../notifications/bursts.ts';
import { pendingNotifications } from '../notifications/notification-store.ts';
import { secretConfigValues } from '../providers/registry.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Log } from '../shared/log.ts';
import { Stalls } from '../shared/stalls.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';

export interface AttemptParts {
  database: Database;
  box: SecretBox;
  delivery: Pick<
    Config['delivery'],
    'allowedNetworks' | 'proxy' | 'accountConcurrency' | 'droppedHeaders' | 'eventWorkflows'
  >;
  /** The most messages to a chat or e-mail destination in the window of NOTIFY_BURST; null: unlimited. */
  burst: number | null;
  /** The window of NOTIFY_BURST in ms; shorter in tests. */
  burstMs?: number;
  /** Called when failures were counted that open an incident. */
  onOpening?: (() => void) | undefined;
  incidentPace?: IncidentPace | undefined;
  metrics: Metrics;
  log: Log;
}

/** What makes the attempts of one process. */
export interface AttemptSide {
  attempts: Attempts;
  /** Sends all of this process's outbound requests. */
  sender: Sender;
  /** Adds the notifications of exhausted events. */
  whenExhausted: WhenExhausted;
  /** Closes the outbound connections. To be called when no attempt is in flight. */
  close(): Promise<void>;
}

/** Composes what a process needs to make attempts. It connects to nothing before the first attempt. */
export function composeAttempts(parts: AttemptParts): AttemptSide {
  const { database, box, delivery, burst, burstMs: windowMs = defaultBurstMs, metrics, log } = parts;
  const sender = createSender({ allowedNetworks: delivery.allowedNetworks, proxy: delivery.proxy, metrics });
  const stalls = new Stalls(stallMs);
  const consumers = new ConsumerCounts({ sql: database, log });
  const { flushMs } = parts.incidentPace ?? {};
  const failures = new FailureCounts({ sql: database, log, flushMs, onOpening: parts.onOpening });
  // Both write nothing before the first attempt.
  consumers.start();
  failures.start();
  const whenExhausted = addNotifications({ burst: burst === null ? null : { limit: burst, windowMs }, log });
  const attempts = new Attempts({
    ...{ database, sender, box, stalls, consumers, failures, metrics, log },
    accountConcurrency: delivery.accountConcurrency,
    eventWorkflows: delivery.eventWorkflows,
    whenExhausted,
    pendingNotifications: (event) => pendingNotifications(database, event),
    masks: new AccountMasks({ box, secretValues: secretConfigValues }),
    droppedHeaders: droppedHeaders(delivery.droppedHeaders),
  });
  return {
    attempts,
    sender,
    whenExhausted,
    async close() {
      stalls.stop();
      await sender.close();
      await consumers.stop();
      await failures.stop();
    },
  };
}
