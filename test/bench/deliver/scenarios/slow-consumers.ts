import { setTimeout as sleep } from 'node:timers/promises';
import { measure } from '../measure.ts';
import { measureOtherAccount } from '../other-account.ts';
import { countQueued } from '../queued.ts';
import { kilobyte, type Scenario, type ScenarioOptions } from '../scenario.ts';

const slowAccounts = 4;
/** So long that the events of all four accounts wait at the same time. */
const answerMs = 5_000;
/** Events a second of each account: more than its 64 attempts in flight (ACCOUNT_CONCURRENCY) can carry. */
const rate = 100;
/** How long the other account is measured alone: 400 events, so that p99 is not the slowest one. */
const aloneMs = 20_000;

/**
 * Four accounts whose consumers take seconds to answer. Their events fill the memory of the api, as far as they may
 * (src/attempts/accepted-events.ts). Accounts whose consumer is fast are measured before, and at the same time.
 */
export function slowConsumers({ slowEvents: events, connections }: ScenarioOptions): Scenario {
  return {
    bare: null,
    warm: true,
    async run(stage) {
      const accounts = Array.from({ length: slowAccounts }, () => stage.account(`?delay-ms=${answerMs}`));
      const targets = await Promise.all(accounts);
      const [early, other] = [await stage.account(), await stage.account()];
      const queuedOf = await countQueued(stage);
      const { otherAccount: alone } = await measureOtherAccount(stage, early, () => sleep(aloneMs));
      const load = { targets, events, rate: slowAccounts * rate, connections, bytes: kilobyte };
      const { result, otherAccount } = await measureOtherAccount(stage, other, () => measure(stage, load));
      return [
        {
          scenario: `${slowAccounts} consumers that take ${answerMs / 1000} s, ${rate}/s each`,
          figures: { ...result, cpu: null, queued: await queuedOf(targets) },
        },
        { scenario: 'another account at the same time', figures: { ...otherAccount, queued: await queuedOf([other]) } },
        { scenario: 'another account before', figures: { ...alone, queued: await queuedOf([early]) } },
      ];
    },
  };
}
