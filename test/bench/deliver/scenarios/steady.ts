import { measure } from '../measure.ts';
import { kilobyte, type Scenario, type ScenarioOptions } from '../scenario.ts';

/** A steady rate, far from what the gateway can do: the time that one event takes. */
export function steady({ rate, seconds, connections }: ScenarioOptions & { rate: number }): Scenario {
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
