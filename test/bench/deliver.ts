import { startBothEnds } from './deliver/both-ends.ts';
import { startDatabases } from './deliver/databases.ts';
import { columnsOf } from './deliver/figures.ts';
import { play } from './deliver/play.ts';
import type { ScenarioOptions } from './deliver/scenario.ts';
import { scenariosOf } from './deliver/scenarios.ts';
import type { GatewayOptions } from './deliver/stage.ts';
import type { BenchResult } from './report.ts';
import { durability, temporalSettings } from './settings.ts';

export interface DeliverOptions extends ScenarioOptions {
  /** Names in deliver/scenarios.ts. */
  scenarios: string[];
  /** The gateways to measure, one after another. */
  gateways: [GatewayOptions, ...GatewayOptions[]];
  /** Events in the tables before each scenario. */
  filled: number;
  /** At most so many events at once with API_DELIVERS=false: workflows deliver about 50 a second. */
  workflowEvents: number;
}

/** Measures events from their POST to their arrival at the consumer, one row for each scenario. */
export async function benchDeliver(options: DeliverOptions): Promise<BenchResult> {
  const ends = await startBothEnds();
  const databases = await startDatabases({ filled: options.filled, checkout: options.gateways[0].checkout });
  try {
    const rows: BenchResult['rows'] = [];
    for (const gateway of options.gateways) {
      for (const scenario of scenariosOf(options.scenarios, sizesFor(gateway, options))) {
        for (const { scenario: name, figures } of await play({ ends, databases }, gateway, scenario)) {
          rows.push({ scenario: name, ...labels(gateway), ...columnsOf(figures) });
          console.error(Object.values(rows.at(-1) ?? {}).join(' | '));
        }
      }
    }
    return { settings: { ...(await durability(databases.url)), ...temporalSettings }, rows };
  } finally {
    await databases.stop();
    await ends.stop();
  }
}

function sizesFor({ apiDelivers }: GatewayOptions, options: DeliverOptions): ScenarioOptions {
  const most = apiDelivers === 'false' ? options.workflowEvents : Number.POSITIVE_INFINITY;
  return { ...options, events: Math.min(options.events, most), backlog: Math.min(options.backlog, most) };
}

const labels = ({ apiDelivers, eventWorkflows }: GatewayOptions) => ({
  ...(apiDelivers === null ? {} : { API_DELIVERS: apiDelivers }),
  ...(eventWorkflows === null ? {} : { EVENT_WORKFLOWS: eventWorkflows }),
});
