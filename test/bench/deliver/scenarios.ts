import type { Scenario, ScenarioOptions } from './scenario.ts';
import { afterBacklog } from './scenarios/after-backlog.ts';
import { afterPause } from './scenarios/after-pause.ts';
import { burst } from './scenarios/burst.ts';
import { firstEvents } from './scenarios/first-events.ts';
import { manyAccounts } from './scenarios/many-accounts.ts';
import { severalConsumers } from './scenarios/several-consumers.ts';
import { slowConsumers } from './scenarios/slow-consumers.ts';
import { steady } from './scenarios/steady.ts';

/** What `deliver` measures, in the order of its table. Each scenario gets a gateway of its own. */
export const scenarios: Record<string, (options: ScenarioOptions) => Scenario[]> = {
  burst: (options) => [burst(options)],
  rates: (options) => options.rates.map((rate) => steady({ ...options, rate })),
  first: () => [firstEvents()],
  backlog: (options) => [afterBacklog(options)],
  due: (options) => [afterPause(options)],
  slow: (options) => [slowConsumers(options)],
  accounts: (options) => [manyAccounts(options)],
  consumers: (options) => options.consumers.map((count) => severalConsumers(options, count)),
  bodies: (options) => options.bodies.map((bytes) => burst({ ...options, bytes })),
};

/** The scenarios of these names. */
export const scenariosOf = (names: string[], options: ScenarioOptions): Scenario[] =>
  names.flatMap((name) => scenarios[name]?.(options) ?? []);
