import { measure } from '../measure.ts';
import { kilobyte, type Scenario } from '../scenario.ts';

const events = 300;
const connections = 10;

/** The first events of a process: nothing is compiled yet, and no connection is open. */
export function firstEvents(): Scenario {
  const bodies = { connections, bytes: kilobyte };
  return {
    bare: bodies,
    warm: false,
    async run(stage) {
      const targets = [await stage.account()];
      const figures = await measure(stage, { targets, events, rate: 0, ...bodies });
      return [{ scenario: `first ${events} after a start, ${connections} connections`, figures }];
    },
  };
}
