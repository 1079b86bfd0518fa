import type { Measured } from './figures.ts';
import { measure } from './measure.ts';
import type { Stage } from './stage.ts';

export interface ScenarioOptions {
  /** Events of a burst. */
  events: number;
  connections: number;
  /** Events a second, each a row. */
  rates: number[];
  /** How long each rate lasts. */
  seconds: number;
}

export interface Scenario {
  /** The exchange to compare it with: the same bodies and connections, without a gateway. Null: none. */
  bare: { connections: number; bytes: number } | null;
  /** Whether the gateway has delivered some events before. */
  warm: boolean;
  run(stage: Stage): Promise<Measured[]>;
}

const kilobyte = 1000;

/** What `deliver` measures, in the order of its table. Each scenario gets a gateway of its own. */
export const scenarios: Record<string, (options: ScenarioOptions) => Scenario[]> = {
  burst: (options) => [burst(options)],
  rates: (options) => options.rates.map((rate) => steady({ ...options, rate })),
};

/** The scenarios of these names. */
export function scenariosOf(names: string[], options: ScenarioOptions): Scenario[] {
  return names.flatMap((name) => {
    const made = scenarios[name]?.(options);
    if (!made)
      throw new Error(`there is no scenario '${name}'; the scenarios are ${Object.keys(scenarios).join(', ')}`);
    return made;
  });
}

/** At full speed: each connection sends its next webhook when the last one is answered. */
function burst({ events, connections }: ScenarioOptions): Scenario {
  const bodies = { connections, bytes: kilobyte };
  return {
    bare: bodies,
    warm: true,
    async run(stage) {
      const targets = [await stage.account()];
      const figures = await measure(stage, { targets, events, rate: 0, ...bodies });
      return [{ scenario: `burst of ${events}`, figures }];
    },
  };
}

/** A steady rate, far from what the gateway can do: the time that one event takes. */
function steady({ rate, seconds, connections }: ScenarioOptions & { rate: number }): Scenario {
  return {
    bare: null,
    warm: true,
    async run(stage) {
      const targets = [await stage.account()];
      const figures = await measure(stage, { targets, events: rate * seconds, rate, connections, bytes: kilobyte });
      return [{ scenario: `${rate}/s`, figures }];
    },
  };
}
