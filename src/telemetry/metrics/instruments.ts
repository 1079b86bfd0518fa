import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { handResults, type Metrics, notificationResults, stuckResults, webhookResults } from './metrics.ts';

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

/** What each counter and histogram says of itself. */
const help = {
  gateway_webhooks_received_total:
    'Webhooks that were answered, by provider and result (accepted, duplicate, rejected, refused).',
  gateway_webhooks_rejected_total: 'Webhooks that failed verification, by the rejection_reason of their events.',
  gateway_ingest_duration_seconds: 'Time from the head of a webhook to its answer, of all results.',
  gateway_ingest_batch_size: 'Webhooks that were stored by one statement.',
  gateway_delivery_attempts_total: 'Delivery attempts that were made, by outcome.',
  gateway_delivery_attempt_duration_seconds:
    'Time of the request of a delivery attempt, of all outcomes; attempts without a request are left out.',
  gateway_delivery_first_attempt_delay_seconds:
    'Time from the receipt of an event, or from its replay, to the start of its first attempt.',
  gateway_delivery_connections_total:
    'Requests to consumers and destinations, by whether their connection had served another request.',
  gateway_deliveries_exhausted_total:
    'Deliveries that ended without success: the last attempt failed, or the account or consumer was disabled for too long.',
  gateway_leases_lost_total: 'Events that another process took over while this one still worked on them.',
  gateway_workflows_stuck_total: 'Stuck workflows that sweeps found, by result (ended, left).',
  gateway_workflows_ended_by_hand_total:
    'Workflows of pending events that a person ended in Temporal, by what was done (cancelled, terminated, reset, signal).',
  gateway_notifications_total: 'Tries to send a notification, by channel and result (sent, retried, failed).',
};

/** Registers the counters and histograms of the path of a webhook, and returns what feeds them. */
export function createMetrics(
  register: Registry,
  { providers, rejectionReasons, outcomes, channels }: LabelValues,
): Metrics {
  const registers = [register];
  const counter = <Label extends string>(name: keyof typeof help, ...labelNames: Label[]) =>
    new Counter({ name, help: help[name], labelNames, registers });
  const histogram = (name: keyof typeof help, buckets: number[]) =>
    new Histogram({ name, help: help[name], buckets, registers });
  const webhooks = counter('gateway_webhooks_received_total', 'provider', 'result');
  const rejected = counter('gateway_webhooks_rejected_total', 'reason');
  const ingest = histogram('gateway_ingest_duration_seconds', ingestBucketsS);
  const batches = histogram('gateway_ingest_batch_size', batchBuckets);
  const attempts = counter('gateway_delivery_attempts_total', 'outcome');
  const attempt = histogram('gateway_delivery_attempt_duration_seconds', attemptBucketsS);
  const delay = histogram('gateway_delivery_first_attempt_delay_seconds', delayBucketsS);
  const connections = counter('gateway_delivery_connections_total', 'reused');
  const exhausted = counter('gateway_deliveries_exhausted_total');
  const lostClaims = counter('gateway_leases_lost_total');
  const stuck = counter('gateway_workflows_stuck_total', 'result');
  const byHand = counter('gateway_workflows_ended_by_hand_total', 'by');
  const notifications = counter('gateway_notifications_total', 'channel', 'result');

  const knownProviders = new Set(providers);
  const knownOutcomes = new Set(outcomes);
  for (const result of webhookResults)
    for (const provider of [...providers, unknownProvider]) webhooks.inc({ provider, result }, 0);
  for (const reason of rejectionReasons) rejected.inc({ reason }, 0);
  for (const outcome of [...outcomes, otherOutcome]) attempts.inc({ outcome }, 0);
  for (const by of handResults) byHand.inc({ by }, 0);
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
    claimLost: () => lostClaims.inc(),
    workflowsStuck: (result, workflows) => stuck.inc({ result }, workflows),
    workflowEndedByHand: (by) => byHand.inc({ by }),
    notificationTried: (channel, result) => notifications.inc({ channel, result }),
  };
}

/** The name of each gauge of the gateway's state, and what it says of itself. */
const stateGauges = {
  databaseAvailable: [
    'gateway_database_available',
    'Whether the database answers this process and takes writes: 1 or 0. While it does not answer, the gauges that are read from it are absent.',
  ],
  temporalReachable: [
    'gateway_temporal_reachable',
    'Whether Temporal answers this worker: 1 or 0. First attempts are made without it.',
  ],
  pending: ['gateway_deliveries_pending', 'Events whose delivery has not ended.'],
  oldestPendingS: [
    'gateway_delivery_oldest_pending_seconds',
    'Age of the oldest event whose delivery has not ended, since its receipt, without those of paused or disabled accounts and consumers; 0 when there is none.',
  ],
  workflowStartsWaiting: [
    'gateway_workflow_starts_waiting',
    'Events whose workflow is not started yet; at most 100000 are counted.',
  ],
  workflowStartOldestS: [
    'gateway_workflow_start_oldest_seconds',
    'How long the oldest of these events has waited for its workflow; 0 when there is none.',
  ],
  paused: ['gateway_deliveries_paused', 'Whether an operator has paused all deliveries: 1 or 0.'],
  lastBackupS: [
    'gateway_backup_last_success_timestamp_seconds',
    'When the newest completed backup ended, in seconds since 1970; absent before the first one.',
  ],
  firstBackupS: [
    'gateway_backup_first_start_timestamp_seconds',
    'When the oldest listed backup began, whether it completed or failed, in seconds since 1970; absent when none began within the last 3 days.',
  ],
  partitionsAheadDays: [
    'gateway_partitions_ahead_days',
    'Days after today, in UTC, for which all partitions exist without a gap.',
  ],
  certificateEndS: [
    'gateway_client_certificate_earliest_expiry_timestamp_seconds',
    'When the first client certificate of an enabled consumer expires, in seconds since 1970; absent without one.',
  ],
  feedLagS: [
    'gateway_feed_lag_seconds',
    'Age of the oldest event that an open transaction keeps out of the feed; 0 when there is none.',
  ],
  workersAlive: ['gateway_workers_alive', 'Workers that take deliveries and had a heartbeat within 4 s.'],
  apisDelivering: [
    'gateway_apis_delivering',
    'Processes that make first attempts and had a heartbeat within 4 s; without one, workflows make them.',
  ],
} as const;

/** What is true of the whole gateway at one moment. Null: not known now, so that the gauge has no value. */
export type GatewayState = Record<keyof typeof stateGauges, number | boolean | null> & {
  /** Incidents that are not resolved, by their kind. */
  incidentsOpen: Readonly<Record<string, number>> | null;
};

/** Registers the gauges of the gateway's state, and returns the function that sets them. What is left out is not known. */
export function createStateGauges(register: Registry): (state: Partial<GatewayState>) => void {
  const gauges = Object.entries(stateGauges).map(([key, [name, help]]) => {
    // All processes of one answer tell the same, or have no value.
    const gauge = new Gauge({ name, help, aggregator: 'max', registers: [register] });
    // A new gauge has the value 0, which would be wrong until the first reading.
    gauge.remove();
    return { key: key as keyof typeof stateGauges, gauge };
  });
  const incidents = new Gauge({
    name: 'gateway_incidents_open',
    help: 'Incidents that are not resolved, by their kind.',
    labelNames: ['kind'],
    aggregator: 'max',
    registers: [register],
  });
  return (state) => {
    for (const { key, gauge } of gauges) {
      const value = state[key] ?? null;
      if (value === null) gauge.remove();
      else gauge.set(Number(value));
    }
    incidents.reset();
    for (const [kind, open] of Object.entries(state.incidentsOpen ?? {})) incidents.set({ kind }, open);
  };
}
