import { measure } from '../measure.ts';
import { measureOtherAccount } from '../other-account.ts';
import { kilobyte, type Scenario, type ScenarioOptions } from '../scenario.ts';

const answerMs = 1_000;
/** More than the 64 attempts in flight of one account (ACCOUNT_CONCURRENCY) can carry. */
const rate = 100;

/** A consumer that takes a second to answer, and at the same time an account whose consumer is fast. */
export function slowConsumer({ slowEvents: events, connections }: ScenarioOptions): Scenario {
  return {
    bare: null,
    warm: true,
    async run(stage) {
      const targets = [await stage.account(`?delay-ms=${answerMs}`)];
      const fast = await stage.account();
      const load = { targets, events, rate, connections, bytes: kilobyte };
      const { result, otherAccount } = await measureOtherAccount(stage, fast, () => measure(stage, load));
      return [
        { scenario: `consumer that takes ${answerMs / 1000} s, ${rate}/s`, figures: { ...result, cpu: null } },
        { scenario: 'another account at the same time', figures: otherAccount },
      ];
    },
  };
}
