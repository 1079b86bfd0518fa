import pLimit from 'p-limit';
import { measure } from '../measure.ts';
import { kilobyte, type Scenario, type ScenarioOptions } from '../scenario.ts';

const createdAtOnce = 16;

/** A burst spread evenly over many accounts. */
export function manyAccounts({ accounts, events, connections }: ScenarioOptions): Scenario {
  const bodies = { connections, bytes: kilobyte };
  return {
    bare: bodies,
    warm: true,
    async run(stage) {
      const limit = pLimit(createdAtOnce);
      const targets = await Promise.all(Array.from({ length: accounts }, () => limit(() => stage.account())));
      const figures = await measure(stage, { targets, events, rate: 0, ...bodies });
      return [{ scenario: `burst of ${events}, ${accounts} accounts`, figures }];
    },
  };
}
