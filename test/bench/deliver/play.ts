import { bareExchange } from './bare.ts';
import type { BothEnds } from './both-ends.ts';
import { differences, metricsNow } from './counted.ts';
import type { Databases } from './databases.ts';
import type { Measured } from './figures.ts';
import type { Scenario } from './scenario.ts';
import { type GatewayOptions, openStage, type Stage } from './stage.ts';
import { warmUp } from './warm-up.ts';

/** Runs one scenario with a gateway of its own. */
export const play = (
  ground: { ends: BothEnds; databases: Databases },
  gateway: GatewayOptions,
  scenario: Scenario,
): Promise<Measured[]> => playOn(ground.ends, () => openStage(ground, gateway), scenario);

/** Runs one scenario on a stage that is opened for it. */
export async function playOn(ends: BothEnds, open: () => Promise<Stage>, scenario: Scenario): Promise<Measured[]> {
  const barePerS = scenario.bare && (await bareExchange(ends, scenario.bare));
  const stage = await open();
  try {
    const metrics = await metricsNow(stage.metricsUrls);
    if (scenario.warm) await warmUp(stage);
    const measured = await scenario.run(stage);
    const miscounted = await differences(stage.metricsUrls, metrics, stage.tally);
    for (const difference of miscounted ?? []) fail(difference);
    // Further rows are loads at the same time as the first, with other connections.
    return measured.map((row, n) => (n === 0 ? { ...row, figures: { ...row.figures, barePerS, miscounted } } : row));
  } finally {
    await stage.close();
  }
}

/** A gateway that counts wrongly does not lose the figures of a run: the command prints them, and fails. */
function fail(difference: string): void {
  console.error(`/metrics differs: ${difference}`);
  process.exitCode = 1;
}
