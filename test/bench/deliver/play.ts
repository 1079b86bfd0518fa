import { bareExchange } from './bare.ts';
import type { BothEnds } from './both-ends.ts';
import type { Databases } from './databases.ts';
import type { Measured } from './figures.ts';
import type { Scenario } from './scenario.ts';
import { type GatewayOptions, openStage } from './stage.ts';
import { warmUp } from './warm-up.ts';

/** Runs one scenario with a gateway of its own. */
export async function play(
  ground: { ends: BothEnds; databases: Databases },
  gateway: GatewayOptions,
  scenario: Scenario,
): Promise<Measured[]> {
  const barePerS = scenario.bare && (await bareExchange(ground.ends, scenario.bare));
  const stage = await openStage(ground, gateway);
  try {
    if (scenario.warm) await warmUp(stage);
    const measured = await scenario.run(stage);
    // Further rows are loads beside the first, with other connections.
    return measured.map((row, n) => (n === 0 ? { ...row, figures: { ...row.figures, barePerS } } : row));
  } finally {
    await stage.close();
  }
}
