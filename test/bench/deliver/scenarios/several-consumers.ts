import { measure } from '../measure.ts';
import { kilobyte, type Scenario, type ScenarioOptions } from '../scenario.ts';

/** A burst to an account of which each of several consumers gets all webhooks. */
export function severalConsumers({ events, connections }: ScenarioOptions, count: number): Scenario {
  const bodies = { connections, bytes: kilobyte };
  return {
    bare: bodies,
    warm: true,
    async run(stage) {
      const account = await stage.account();
      const consumers = Array.from({ length: count - 1 }, (_, n) => `consumer-${n + 2}`);
      for (const name of consumers) await stage.addConsumer(account, name);
      const figures = await measure(stage, { targets: [account], events, rate: 0, consumers, ...bodies });
      return [{ scenario: `burst of ${events}, consumers: ${count}`, figures }];
    },
  };
}
