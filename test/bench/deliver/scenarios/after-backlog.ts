import { nowMs } from '../../clock.ts';
import { cpuEach, cpuTimes } from '../../cpu.ts';
import { allDelivered, figuresOf, newRun, reportOf } from '../measure.ts';
import { measureOtherAccount } from '../other-account.ts';
import { kilobyte, type Scenario, type ScenarioOptions } from '../scenario.ts';

/** A machine of two cores delivers a hundred thousand events in two minutes. */
const limitMs = 1_800_000;

/**
 * Events are accepted while deliveries are paused, and delivered after that. Their latencies count from the moment at
 * which deliveries resume. New events of another account arrive from then on.
 */
export function afterBacklog({ backlog: events, connections }: ScenarioOptions): Scenario {
  const bodies = { connections, bytes: kilobyte };
  return {
    bare: bodies,
    warm: true,
    async run(stage) {
      const targets = [await stage.account()];
      const other = await stage.account();
      const run = newRun();
      const before = cpuTimes(stage.gateway.pids, stage.gateway.balancerPids);
      await stage.admin('POST', '/admin/delivery/pause');
      const sent = await stage.ends.load.call('send', { run, targets, events, rate: 0, ...bodies });
      const { result, otherAccount } = await measureOtherAccount(stage, other, async () => {
        const resumedMs = nowMs();
        await stage.admin('POST', '/admin/delivery/resume');
        await allDelivered(stage, run, sent, limitMs);
        return { resumedMs, after: cpuTimes(stage.gateway.pids, stage.gateway.balancerPids) };
      });
      const figures = figuresOf(sent, await reportOf(stage, run), result.resumedMs);
      const cpu = cpuEach(before, result.after, figures.acknowledged + otherAccount.acknowledged);
      return [
        { scenario: `backlog of ${events}, after its pause`, figures: { ...figures, cpu } },
        { scenario: 'another account at the same time', figures: otherAccount },
      ];
    },
  };
}
