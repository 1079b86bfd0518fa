import { BenchProcess } from './calls.ts';
import { startBothEnds } from './deliver/both-ends.ts';
import { startDatabases } from './deliver/databases.ts';
import type { Figures, Measured } from './deliver/figures.ts';
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

/** The figures that are compared, as rows of the table. */
const compared: Record<string, (figures: Figures) => number | null | undefined> = {
  'acks/s': (figures) => figures.acksPerS,
  'ack p50 ms': (figures) => figures.ackP50Ms,
  'ack p99 ms': (figures) => figures.ackP99Ms,
  'events/s': (figures) => figures.eventsPerS,
  'end to end p50 ms': (figures) => figures.p50Ms,
  'end to end p99 ms': (figures) => figures.p99Ms,
  'CPU ms/event gateway': (figures) => figures.cpu?.gateway,
  'CPU ms/event PostgreSQL': (figures) => figures.cpu?.database,
  'CPU ms/event Temporal': (figures) => figures.cpu?.engine,
  'bare exchange/s': (figures) => figures.barePerS,
};

/** The same scenario of both gateways. */
interface Pair {
  scenario: string;
  ours: Figures;
  theirs: Figures;
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
      rows: Object.values(Object.groupBy(pairs, ({ scenario }) => scenario)).flatMap((all) => rowsOf(all ?? [])),
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

function pairUp(ours: Measured[], theirs: Measured[]): Pair[] {
  return ours.flatMap(({ scenario, figures }, n) => {
    const other = theirs[n];
    return other ? [{ scenario, ours: figures, theirs: other.figures }] : [];
  });
}

/** A row for each figure of a scenario, with losses and duplicates of all its runs in the first. */
function rowsOf(pairs: Pair[]): BenchResult['rows'] {
  const both = pairs.flatMap(({ ours, theirs }) => [ours, theirs]);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return Object.entries(compared).flatMap(([figure, read]) => {
    const numbers = pairs.flatMap(({ ours, theirs }) => {
      const [our, their] = [read(ours), read(theirs)];
      return our == null || their == null ? [] : [{ our, their, ratio: our / their }];
    });
    if (numbers.length === 0) return [];
    const ratios = numbers.map(({ ratio }) => ratio);
    return {
      scenario: pairs[0]?.scenario ?? '',
      figure,
      'the other': short(median(numbers.map(({ their }) => their))),
      'this one': short(median(numbers.map(({ our }) => our))),
      ratio: short(median(ratios)),
      'ratios from': short(Math.min(...ratios)),
      to: short(Math.max(...ratios)),
      lost: sum(both.map(({ lost }) => lost)),
      duplicated: sum(both.map(({ duplicated }) => duplicated)),
    };
  });
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

const short = (value: number) => Number(value.toPrecision(3));
