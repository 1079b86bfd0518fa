import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** A timer of this period is what the lag is measured with. A shorter one would wake an idle process more often. */
const lagResolutionMs = 20;
/** The shortest time over which the largest lag is shown, so that several scrapers do not take it from each other. */
const lagWindowMs = 5_000;

/**
 * Of the usual metrics of Node: the lag of the event loop, which is measured above, and the lists of open handles, which
 * take time for each connection.
 */
const leftOut = /^nodejs_(eventloop_lag|active)_/;
/** As seldom as possible, because this measurement of the lag is left out. */
const unusedPrecisionMs = 60_000;

/** The connections of the pools of one process. */
export interface PoolCounts {
  /** Open connections. */
  totalCount: number;
  /** Open connections that no statement uses. */
  idleCount: number;
  /** Statements that wait for a connection. */
  waitingCount: number;
}

/** How many connections of a pool are in a state, and how many statements wait for one. */
const connectionStates: Record<string, (pool: PoolCounts) => number> = {
  active: ({ totalCount, idleCount }) => totalCount - idleCount,
  idle: ({ idleCount }) => idleCount,
  waiting: ({ waitingCount }) => waitingCount,
};

/**
 * Registers what describes the process itself: version, event loop, database connections, and the usual metrics of a
 * process and of Node. To be called once per process, because the usual metrics observe garbage collections.
 */
export function measureProcess(register: Registry, options: { version: string; pools: readonly PoolCounts[] }): void {
  const registers = [register];
  new Gauge({
    name: 'gateway_build_info',
    help: 'Always 1; the label is the version of the gateway.',
    labelNames: ['version'],
    aggregator: 'max',
    registers,
  }).set({ version: options.version }, 1);
  const lag = largestLagMs();
  new Gauge({
    name: 'gateway_event_loop_lag_seconds',
    help: 'Longest delay of the event loop since the last scrape, or in the last 5 s if that is longer.',
    aggregator: 'max',
    registers,
    collect() {
      this.set(lag() / 1000);
    },
  });
  new Gauge({
    name: 'gateway_database_connections',
    help: 'Database connections of this process that are in use (active) or not (idle), and statements that wait for one (waiting).',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(connectionStates))
        this.set(
          { state },
          options.pools.reduce((sum, pool) => sum + count(pool), 0),
        );
    },
  });
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: unusedPrecisionMs });
  for (const { name } of register.getMetricsAsArray()) if (leftOut.test(name)) register.removeSingleMetric(name);
}

/** Returns a function that answers with the longest delay of the event loop within the last window, in milliseconds. */
function largestLagMs(): () => number {
  const delays = monitorEventLoopDelay({ resolution: lagResolutionMs });
  delays.enable();
  let windowBeganMs = performance.now();
  let inLastWindowMs = 0;
  return () => {
    // Nanoseconds, with the period of the timer included; 0 before the first measurement.
    const nowMs = Math.max(0, delays.max / 1e6 - lagResolutionMs);
    const inWindowMs = delays.count === 0 ? 0 : nowMs;
    const isWhole = performance.now() - windowBeganMs >= lagWindowMs;
    // A window that has just begun would hide a delay from one of two scrapers.
    const shown = isWhole ? inWindowMs : Math.max(inLastWindowMs, inWindowMs);
    if (isWhole) {
      inLastWindowMs = inWindowMs;
      windowBeganMs = performance.now();
      delays.reset();
    }
    return shown;
  };
}
