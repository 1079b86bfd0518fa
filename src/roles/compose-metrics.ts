import { Gauge, Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import { pingDatabase } from '../database/ping.ts';
import { attemptOutcomes } from '../delivery/attempt/outcome.ts';
import { destinationTypes } from '../notifications/destinations/destination-config.ts';
import { rejectionReasons } from '../providers/provider.ts';
import { providerNames } from '../providers/registry.ts';
import type { Log } from '../shared/log.ts';
import { RareWarning } from '../shared/rare-warning.ts';
import { version } from '../shared/version.ts';
import { createMetrics, createStateGauges, type GatewayState } from '../telemetry/metrics/instruments.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import { measureProcess } from '../telemetry/metrics/process-metrics.ts';
import { Recent } from '../telemetry/metrics/recent.ts';
import type { Collect, Collected, Family } from '../telemetry/metrics/scrape.ts';
import { readStoredState } from './gateway-state.ts';
import { workerMetricsPort } from './worker-metrics.ts';

/**
 * Gauges are at most 5 s old: a reading is used again for 2 s, an answer waits for up to 2 s, and is given out for 1 s
 * (src/telemetry/metrics/scrape.ts).
 */
const stateTimes = { keptMs: 2_000, limitMs: 1_500 };
/** A worker waits for its own state for up to 1.5 s. Other gauges of the answer wait for it, so it is not given more. */
const workerLimitMs = 2_000;
/** While readings come late: with a scrape a minute, the one before has begun a minute ago. */
const lateMs = 90_000;

/** What one process measures. */
export interface Measured {
  metrics: Metrics;
  collect: Collect;
}

type TemporalAnswers = () => Promise<boolean>;
/** Reads the metrics of the Temporal SDK as text; `noSdk` where a process has none. */
type ReadSdk = () => Promise<string>;
const noSdk: ReadSdk = async () => '';

/** The metrics of the role `api`. */
export const measureApi = (options: { database: Database; log: Log }): Measured =>
  measure({ ...options, state: stateOf(options), sdk: noSdk });

/** The metrics of the role `worker`. */
export function measureWorker(options: {
  database: Database;
  sdk: ReadSdk;
  temporalAnswers: TemporalAnswers;
  log: Log;
}): Measured {
  const [stored, temporal] = [stateOf(options), temporalOf(options.temporalAnswers)];
  return measure({ ...options, state: async () => ({ ...(await stored()), temporalReachable: await temporal() }) });
}

/**
 * The metrics of the `api` and of the `worker` of `npm start`, told apart by the label `role`. While the worker does not
 * answer, its series are missing: a counter that begins at 0 again then counts as that of a new process.
 *
 * @param dataDir where the worker leaves the number of its port.
 */
export function measureBoth(api: Collect, dataDir: string, log: Log): Collect[] {
  const register = new Registry();
  const up = new Gauge({
    name: 'gateway_worker_process_up',
    help: 'Whether the worker of npm start has told its metrics: 1 or 0.',
    aggregator: 'max',
    registers: [register],
  });
  const silent = new RareWarning();
  const worker = async (): Promise<Collected> => {
    const answer = await askWorker(dataDir).catch((error: unknown) => {
      silent.add();
      silent.tell((answers) => log.warn({ err: error, answers }, 'worker not measured, its series are missing'));
      return null;
    });
    up.set(answer ? 1 : 0);
    const own = await register.getMetricsAsJSON();
    return answer
      ? { families: [...own, ...ofRole('worker', answer.families)], sdk: answer.sdk }
      : { families: own, sdk: '' };
  };
  return [async () => ({ families: ofRole('api', (await api()).families), sdk: '' }), worker];
}

/** Null before the first start of a worker, which comes after that of the api. */
async function askWorker(dataDir: string): Promise<Collected | null> {
  const port = workerMetricsPort.read(dataDir);
  if (port === null) return null;
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(workerLimitMs),
  });
  const collected: unknown = answer.ok ? await answer.json() : null;
  // After a crash of the worker, another program of this machine may have its port.
  if (!isCollected(collected)) throw new Error(`no worker answers at port ${port}`);
  return collected;
}

const isCollected = (value: unknown): value is Collected =>
  typeof value === 'object' && value !== null && 'families' in value && Array.isArray(value.families) && 'sdk' in value;

const ofRole = (role: string, families: readonly Family[]): Family[] =>
  families.map((family) => ({
    ...family,
    values: family.values.map((value) => ({ ...value, labels: { ...value.labels, role } })),
  }));

/** Reads the part of the state that the database tells. */
function stateOf({ database, log }: { database: Database; log: Log }): () => Promise<Partial<GatewayState>> {
  const available = new Recent(() => pingDatabase(database).then(() => true), stateTimes);
  const [unread, slow] = [new RareWarning(), new RareWarning()];
  const stored = new Recent(async () => {
    const beganMs = performance.now();
    try {
      const state = await readStoredState(database);
      const tookMs = Math.round(performance.now() - beganMs);
      if (tookMs > stateTimes.limitMs) {
        slow.add();
        slow.tell((readings) => log.warn({ tookMs, readings }, 'gauges read too slowly, the metrics have older ones'));
      }
      return state;
    } catch (error) {
      unread.add();
      unread.tell((readings) => log.warn({ err: error, readings }, 'gauges not read, they are missing in the metrics'));
      return null;
    }
  }, stateTimes);
  return async () => {
    const [answers, inTime] = await Promise.all([available.value(), stored.value()]);
    const databaseAvailable = answers === true;
    // A database that is slow must not silence the alerts. One that is away has no gauges.
    const state = inTime ?? (databaseAvailable ? stored.last(lateMs) : null);
    return { ...state, databaseAvailable };
  };
}

function temporalOf(answers: TemporalAnswers): TemporalAnswers {
  const recent = new Recent(answers, stateTimes);
  return async () => (await recent.value()) === true;
}

function measure(options: { database: Database; state: () => Promise<Partial<GatewayState>>; sdk: ReadSdk }): Measured {
  const { database, state, sdk } = options;
  const register = new Registry();
  const metrics = createMetrics(register, {
    providers: providerNames,
    rejectionReasons: Object.keys(rejectionReasons),
    outcomes: attemptOutcomes,
    channels: destinationTypes,
  });
  const set = createStateGauges(register);
  measureProcess(register, { version, pools: database.pools });
  return {
    metrics,
    async collect() {
      const [present, sdkText] = await Promise.all([state(), sdk()]);
      set(present);
      return { families: await register.getMetricsAsJSON(), sdk: sdkText };
    },
  };
}
