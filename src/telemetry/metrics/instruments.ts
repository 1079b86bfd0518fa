import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Metrics, notificationResults, stuckResults, webhookResults } from './metrics.ts';

/** The label of webhooks to an address without a known provider. */
const unknownProvider = 'unknown';
/** The label of an outcome that is not in `LabelValues.outcomes`, so that a mistake in the code adds one series at most. */
const otherOutcome = 'other';

/** From a quick commit (2 ms) to the limit for a request (60 s). */
const ingestBucketsS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Up to the largest batch (src/events/event-receiver.ts). */
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/** From a consumer on the same network to the longest DELIVERY_TIMEOUT (2 m). */
const attemptBucketsS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120];
/** From a delivery straight after the commit to a backlog of hours. */
const delayBucketsS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400];

/** The values of labels, so that each series exists from the start and a rate over it has no gap. */
export interface LabelValues {
  providers: readonly string[];
  rejectionReasons: readonly string[];
  outcomes: readonly string[];
  channels: readonly string[];
}

/** Registers the counters and histograms of the path of a webhook, and returns what feeds them. */
export function createMetrics(
  register: Registry,
  { providers, rejectionReasons, outcomes, channels }: LabelValues,
): Metrics {
  const registers = [register];
  const webhooks = new Counter({
    name: 'gateway_webhooks_received_total',
    help: 'Webhooks that were answered, by provider and result (accepted, duplicate, rejected, refused).',
    labelNames: ['provider', 'result'],
    registers,
  });
  const rejected = new Counter({
    name: 'gateway_webhooks_rejected_total',
    help: 'Webhooks that failed verification, by the rejection_reason of their events.',
    labelNames: ['reason'],
    registers,
  });
  const ingest = new Histogram({
    name: 'gateway_ingest_duration_seconds',
    help: 'Time from the head of a webhook to its answer, of all results.',
    buckets: ingestBucketsS,
    registers,
  });
  const batches = new Histogram({
    name: 'gateway_ingest_batch_size',
    help: 'Webhooks that were stored by one statement.',
    buckets: batchBuckets,
    registers,
  });
  const attempts = new Counter({
    name: 'gateway_delivery_attempts_total',
    help: 'Delivery attempts that were made, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const attempt = new Histogram({
    name: 'gateway_delivery_attempt_duration_seconds',
    help: 'Time of the request of a delivery attempt, of all outcomes; attempts without a request are left out.',
    buckets: attemptBucketsS,
    registers,
  });
  const delay = new Histogram({
    name: 'gateway_delivery_first_attempt_delay_seconds',
    help: 'Time from the receipt of an event, or from its replay, to the start of its first attempt.',
    buckets: delayBucketsS,
    registers,
  });
  const connections = new Counter({
    name: 'gateway_delivery_connections_total',
    help: 'Requests to consumers and destinations, by whether their connection had served another request.',
    labelNames: ['reused'],
    registers,
  });
  const exhausted = new Counter({
    name: 'gateway_deliveries_exhausted_total',
    help: 'Deliveries that ended without success: the last attempt failed, or the account was disabled for too long.',
    registers,
  });
  const leases = new Counter({
    name: 'gateway_leases_lost_total',
    help: 'Events that another process took over while this one still worked on them.',
    registers,
  });
  const stuck = new Counter({
    name: 'gateway_workflows_stuck_total',
    help: 'Stuck workflows that sweeps found, by result (ended, left).',
    labelNames: ['result'],
    registers,
  });
  const notifications = new Counter({
    name: 'gateway_notifications_total',
    help: 'Tries to send a notification, by channel and result (sent, retried, failed).',
    labelNames: ['channel', 'result'],
    registers,
  });

  const knownProviders = new Set(providers);
  const knownOutcomes = new Set(outcomes);
  for (const result of webhookResults)
    for (const provider of [...providers, unknownProvider]) webhooks.inc({ provider, result }, 0);
  for (const reason of rejectionReasons) rejected.inc({ reason }, 0);
  for (const outcome of [...outcomes, otherOutcome]) attempts.inc({ outcome }, 0);
  for (const result of stuckResults) stuck.inc({ result }, 0);
  for (const reused of ['true', 'false']) connections.inc({ reused }, 0);
  for (const channel of channels) for (const result of notificationResults) notifications.inc({ channel, result }, 0);

  return {
    webhookAnswered(provider, result, durationMs) {
      webhooks.inc({ provider: knownProviders.has(provider) ? provider : unknownProvider, result });
      ingest.observe(durationMs / 1000);
    },
    webhookRejected: (reason) => rejected.inc({ reason }),
    batchStored: (webhooksStored) => batches.observe(webhooksStored),
    firstAttemptBegan: (delayMs) => delay.observe(Math.max(0, delayMs) / 1000),
    attemptMade(outcome, durationMs) {
      attempts.inc({ outcome: knownOutcomes.has(outcome) ? outcome : otherOutcome });
      if (durationMs !== null) attempt.observe(durationMs / 1000);
    },
    requestSent: (reused) => connections.inc({ reused: String(reused) }),
    deliveryExhausted: () => exhausted.inc(),
    leaseLost: () => leases.inc(),
    workflowsStuck: (result, workflows) => stuck.inc({ result }, workflows),
    notificationTried: (channel, result) => notifications.inc({ channel, result }),
  };
}

/** What is true of the whole gateway at one moment. Null: not known now, so that the gauge has no value. */
export interface GatewayState {
  databaseAvailable: boolean | null;
  temporalReachable: boolean | null;
  pending: number | null;
  oldestPendingS: number | null;
  workflowStartsWaiting: number | null;
  workflowStartOldestS: number | null;
  paused: boolean | null;
  /** Seconds since 1970. */
  lastBackupS: number | null;
  partitionsAheadDays: number | null;
  workersAlive: number | null;
  apisDelivering: number | null;
}

/** Registers the gauges of the gateway's state, and returns the function that sets them. */
export function createStateGauges(register: Registry): (state: GatewayState) => void {
  const gauge = (name: string, help: string): ((value: number | boolean | null) => void) => {
    // All processes of one answer tell the same, or have no value.
    const one = new Gauge({ name, help, aggregator: 'max', registers: [register] });
    // A new gauge has the value 0, which would be wrong until the first reading.
    one.remove();
    return (value) => (value === null ? one.remove() : one.set(Number(value)));
  };
  const databaseAvailable = gauge(
    'gateway_database_available',
    'Whether the database answers this process: 1 or 0. While it does not, the gauges that are read from it are absent.',
  );
  const temporalReachable = gauge(
    'gateway_temporal_reachable',
    'Whether Temporal answers this worker: 1 or 0. First attempts are made without it.',
  );
  const pending = gauge('gateway_deliveries_pending', 'Events whose delivery has not ended.');
  const oldestPending = gauge(
    'gateway_delivery_oldest_pending_seconds',
    'Age of the oldest event whose delivery has not ended, since its receipt; 0 when there is none.',
  );
  const startsWaiting = gauge(
    'gateway_workflow_starts_waiting',
    'Events whose workflow is not started yet; at most 100000 are counted.',
  );
  const startOldest = gauge(
    'gateway_workflow_start_oldest_seconds',
    'How long the oldest of these events has waited for its workflow; 0 when there is none.',
  );
  const paused = gauge('gateway_deliveries_paused', 'Whether an operator has paused all deliveries: 1 or 0.');
  const lastBackup = gauge(
    'gateway_backup_last_success_timestamp_seconds',
    'When the newest completed backup ended, in seconds since 1970; absent before the first one.',
  );
  const partitionsAhead = gauge(
    'gateway_partitions_ahead_days',
    'Days after today, in UTC, for which all partitions exist without a gap.',
  );
  const workersAlive = gauge('gateway_workers_alive', 'Workers that take deliveries and had a heartbeat within 4 s.');
  const apisDelivering = gauge(
    'gateway_apis_delivering',
    'Processes that make first attempts and had a heartbeat within 4 s; without one, workflows make them.',
  );
  return (state) => {
    databaseAvailable(state.databaseAvailable);
    temporalReachable(state.temporalReachable);
    pending(state.pending);
    oldestPending(state.oldestPendingS);
    startsWaiting(state.workflowStartsWaiting);
    startOldest(state.workflowStartOldestS);
    paused(state.paused);
    lastBackup(state.lastBackupS);
    partitionsAhead(state.partitionsAheadDays);
    workersAlive(state.workersAlive);
    apisDelivering(state.apisDelivering);
  };
}
