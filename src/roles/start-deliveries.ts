import { AttemptRelay } from '../attempts/relay.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { deliverySchedule } from '../delivery/workflow-schedule.ts';
import type { HandOver } from '../events/hand-over.ts';
import type { IncidentPace } from '../incidents/judging/times.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { Log } from '../shared/log.ts';
import type { Running } from '../shared/running.ts';
import { settlesWithin } from '../shared/settles-within.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import { composeAttempts } from './compose-attempts.ts';

/** First attempts that are made until they are stopped. */
export interface RunningDeliveries extends Running {
  /** Where events go that this process accepts. */
  readonly handOver: HandOver;
}

/** How long a start waits for its first heartbeat. Without the database, first attempts begin when it is back. */
const startLimitMs = 2_000;

/**
 * Starts the first attempts of an `api`. To be called when its schema and its key are checked.
 *
 * @param options.stopLimitMs how long attempts in flight may take to end at a stop. Another process repeats those that do
 *   not.
 */
export async function startDeliveries(options: {
  database: Database;
  databaseUrl: string;
  keyring: Keyring;
  delivery: Config['delivery'];
  /** As NOTIFY_BURST; `burstMs`: its window, shorter in tests. */
  burst: number | null;
  burstMs?: number;
  onOpening?: () => void;
  incidentPace?: IncidentPace | undefined;
  stopLimitMs: number;
  metrics: Metrics;
  log: Log;
}): Promise<RunningDeliveries> {
  const { database, databaseUrl, keyring, delivery, metrics, stopLimitMs, log } = options;
  const { burst, burstMs } = options;
  const { timeLimitMs } = delivery;
  if (timeLimitMs > stopLimitMs)
    log.warn(
      { timeLimitMs, stopLimitMs },
      'a stop does not wait as long as DELIVERY_TIMEOUT, attempts may be repeated',
    );
  const attempting = composeAttempts({
    ...{ database, box: createSecretBox(keyring), delivery, burst, metrics, log },
    ...{ onOpening: options.onOpening, incidentPace: options.incidentPace },
    ...(burstMs === undefined ? {} : { burstMs }),
  });
  const relay = new AttemptRelay({
    ...{ sql: database, databaseUrl, attempts: attempting.attempts, log },
    schedule: deliverySchedule(delivery),
  });
  await settlesWithin(relay.start(), startLimitMs);
  return {
    handOver: relay.handOver,
    async stop() {
      if (await settlesWithin(relay.stop(), stopLimitMs)) await attempting.close();
      else log.warn({ limitMs: stopLimitMs }, 'attempts still in flight at the stop, other processes repeat them');
    },
  };
}
