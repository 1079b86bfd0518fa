import { startBothEnds } from './deliver/both-ends.ts';
import { startDatabases } from './deliver/databases.ts';
import { columnsOf } from './deliver/figures.ts';
import { play } from './deliver/play.ts';
import { type ScenarioOptions, scenariosOf } from './deliver/scenarios.ts';
import type { GatewayOptions } from './deliver/stage.ts';
import type { BenchResult } from './report.ts';
import { durability, temporalSettings } from './settings.ts';

export interface DeliverOptions extends ScenarioOptions {
  /** Names in deliver/scenarios.ts. */
  scenarios: string[];
  /** The gateways to measure, one after another. */
  gateways: GatewayOptions[];
}

/** Measures events from their POST to their arrival at the consumer, one row for each scenario. */
export async function benchDeliver(options: DeliverOptions): Promise<BenchResult> {
  const scenarios = scenariosOf(options.scenarios, options);
  const ends = await startBothEnds();
  const databases = await startDatabases(null);
  try {
    const rows: BenchResult['rows'] = [];
    for (const gateway of options.gateways) {
      for (const scenario of scenarios) {
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

const labels = ({ mode, eventWorkflows }: GatewayOptions) => ({
  FIRST_ATTEMPT: mode,
  ...(eventWorkflows === null ? {} : { EVENT_WORKFLOWS: eventWorkflows }),
});
