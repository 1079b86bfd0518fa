import { BenchProcess } from './calls.ts';
import { startBothEnds } from './deliver/both-ends.ts';
import { comparison, type Pair, pairUp, short } from './deliver/comparison.ts';
import { startDatabases } from './deliver/databases.ts';
import { play } from './deliver/play.ts';
import type { ScenarioOptions } from './deliver/scenario.ts';
import { scenariosOf } from './deliver/scenarios.ts';
import type { GatewayOptions } from './deliver/stage.ts';
import type { BenchResult } from './report.ts';
import { durability, temporalSettings } from './settings.ts';
import type { CollectorCalls } from './traces/main.ts';

export interface PairsOptions extends ScenarioOptions {
  scenarios: string[];
  /** The gateway to judge. */
  gateway: GatewayOptions;
  /** The gateway to compare it with. */
  other: GatewayOptions;
  /** How often both are measured. */
  pairs: number;
  /** Whether the first one sends its traces to a collector, and the other one makes none. */
  traces: boolean;
  /** Events in the tables before each scenario. */
  filled: number;
}

/**
 * Measures two gateways in turn with the same load, and compares their medians. The speed of a machine changes with the
 * hour, so only runs side by side can be compared. Each pair begins with the gateway that the last one ended with.
 */
export async function benchPairs(options: PairsOptions): Promise<BenchResult> {
  const scenarios = scenariosOf(options.scenarios, options);
  const ends = await startBothEnds();
  const collector = options.traces ? new BenchProcess<CollectorCalls>('traces/main.ts') : null;
  const gateway = collector === null ? options.gateway : await tracedTo(collector, options.gateway);
  const { filled } = options;
  const ourDatabases = await startDatabases({ filled, checkout: gateway.checkout });
  const theirDatabases = await startDatabases({ filled, checkout: options.other.checkout });
  try {
    const pairs: Pair[] = [];
    for (let n = 0; n < options.pairs; n++) {
      for (const scenario of scenarios) {
        const playOurs = () => play({ ends, databases: ourDatabases }, gateway, scenario);
        const playTheirs = () => play({ ends, databases: theirDatabases }, options.other, scenario);
        const oursFirst = n % 2 === 0;
        const first = await (oursFirst ? playOurs() : playTheirs());
        const second = await (oursFirst ? playTheirs() : playOurs());
        const found = oursFirst ? pairUp(first, second) : pairUp(second, first);
        for (const { scenario: name, ours, theirs } of found) {
          const acks = `${short(theirs.acksPerS)} and ${short(ours.acksPerS)} acks/s`;
          console.error(
            `pair ${n + 1}, ${name}: ${acks}, ${short(theirs.eventsPerS)} and ${short(ours.eventsPerS)} events/s`,
          );
        }
        pairs.push(...found);
      }
    }
    const settings = {
      pairs: String(options.pairs),
      ...(collector === null ? {} : await receivedBy(collector)),
      ...(await durability(ourDatabases.url)),
      ...temporalSettings,
    };
    return {
      settings,
      rows: comparison(pairs, { ours: 'this one', theirs: 'the other' }),
    };
  } finally {
    await ourDatabases.stop();
    await theirDatabases.stop();
    await collector?.stop();
    await ends.stop();
  }
}

/** A gateway that sends its traces to this collector. */
async function tracedTo(collector: BenchProcess<CollectorCalls>, gateway: GatewayOptions): Promise<GatewayOptions> {
  const port = await collector.call('listen', undefined);
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
  return { ...gateway, environment: { ...endpoint, ...gateway.environment } };
}

async function receivedBy(collector: BenchProcess<CollectorCalls>): Promise<Record<string, string>> {
  const { requests, bytes } = await collector.call('received', undefined);
  if (requests === 0) throw new Error('the collector has received no traces');
  return { 'traces received': `${requests} batches, ${Math.round(bytes / 1e6)} MB` };
}
