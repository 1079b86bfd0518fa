import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../../clock.ts';
import { cpuEach, cpuTimes } from '../../cpu.ts';
import { allDelivered, figuresOf, newRun, reportOf } from '../measure.ts';
import { measureOtherAccount } from '../other-account.ts';
import { kilobyte, type Scenario, type ScenarioOptions } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const limitMs = 1_800_000;
const pollMs = 250;
/** How long the events wait before deliveries are resumed. */
const waitingMs = 30_000;

/**
 * The first attempts of events fail, their second ones become due while deliveries are paused, and are made after that.
 * Their latencies count from the moment at which deliveries resume. New events of another account arrive from then on.
 * What the waiting costs is printed.
 *
 * The pause begins when all workflows were started, or a second before the first event is due. With a longer first delay
 * in DELIVERY_SCHEDULE, all of them run by then.
 */
export function afterPause({ due: events, connections }: ScenarioOptions): Scenario {
  return {
    bare: null,
    warm: true,
    async run(stage) {
      await printCost(stage, 'nothing waits');
      const run = `due${newRun()}`;
      const targets = [await stage.account(`?failing=${run}`)];
      const other = await stage.account();
      const sent = await stage.ends.load.call('send', { run, targets, events, rate: 0, connections, bytes: kilobyte });
      await until(
        stage,
        "select count(*) = 0 from event_queue union all select min(due_at) < now() + interval '1 s' from events",
      );
      await stage.admin('POST', '/admin/delivery/pause');
      await until(
        stage,
        'select count(*) = 0 from events e where due_at > now() or (due_at is not null and not exists (select from event_queue q where q.event_id = e.id))',
      );
      await printCost(stage, 'events wait');
      const before = cpuTimes(stage.gateway.pids, stage.gateway.balancerPids);
      const { result, otherAccount } = await measureOtherAccount(stage, other, async () => {
        const resumedMs = nowMs();
        await stage.admin('POST', '/admin/delivery/resume');
        await allDelivered(stage, run, sent, limitMs);
        return { resumedMs, after: cpuTimes(stage.gateway.pids, stage.gateway.balancerPids) };
      });
      const figures = figuresOf(sent, await reportOf(stage, run), result.resumedMs);
      const cpu = cpuEach(before, result.after, figures.acknowledged + otherAccount.acknowledged);
      return [
        { scenario: `${events} due after a pause`, figures: { ...figures, cpu } },
        { scenario: 'another account at the same time', figures: otherAccount },
      ];
    },
  };
}

/** Waits until a row of the statement is true. */
async function until({ query }: Stage, text: string): Promise<void> {
  const found = `select bool_or(t.is_true) as found from (${text}) as t (is_true)`;
  while (!(await query<{ found: boolean | null }>(found))[0]?.found) await sleep(pollMs);
}

/** Prints how much of a core the servers need. */
async function printCost({ gateway }: Stage, when: string): Promise<void> {
  const before = cpuTimes(gateway.pids, gateway.balancerPids);
  await sleep(waitingMs);
  const {
    gateway: node,
    database,
    engine,
  } = cpuEach(before, cpuTimes(gateway.pids, gateway.balancerPids), waitingMs / 100);
  const percent = (value: number) => `${value.toFixed(1)} %`;
  console.error(
    `of a core while ${when}: gateway ${percent(node)}, PostgreSQL ${percent(database)}, Temporal ${percent(engine)}`,
  );
}
