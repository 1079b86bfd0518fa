import { expect, test } from 'vitest';
import { instantDelaysMs } from '../support/gateway.ts';
import { triggered } from '../support/maintenance.ts';
import { useStage, waitingEvent } from '../support/situations.ts';
import { until } from '../support/until.ts';

// Workflows whose task fails again and again, as after a release whose workers cannot continue them (docs/failures.md).

const stage = useStage({
  ...{ delaysMs: instantDelaysMs, apiDelivers: false, eventWorkflows: 'always', overdueS: 1, maintenance: {} },
  // The second try of a task follows at once. Each further one takes 10 s or more.
  stuckLimits: { attempts: 2, ageS: 0 },
});

/**
 * Replaces the event's workflow by one that is stuck, and makes the event overdue. The sweep may have found the event before,
 * while its first attempt took more than a second: it looks again only five minutes later.
 */
async function stick(id: string, generation: number): Promise<string> {
  const runId = await stage.workflows.startFailing(id);
  await stage.gateway.database.pool.query(
    `update events set generation = $2, started_generation = $2, next_attempt_at = now() - interval '1 hour', swept_at = null
     where id = $1`,
    [id, generation],
  );
  return runId;
}

test.each([0, 1])(
  'the sweep ends the stuck workflow of generation %i, and another one delivers the event',
  async (generation) => {
    const { id } = await waitingEvent(stage);
    const runId = await stick(id, generation);
    // Meanwhile the dispatcher finds the overdue event, too, and queues it for its workflow, which runs.
    await until('the dispatcher has passed the event on', async () => {
      const passed = `select 1 from events where id = $1 and swept_at is not null
      and not exists (select 1 from event_queue where event_id = $1)`;
      return (await stage.gateway.rows(passed, [id])).length === 1;
    });
    // The run that ends it may also be one of the schedule's own, every five minutes.
    await until('a run of the sweep ends the stuck workflow', async () => {
      await triggered(stage.gateway, 'sweep');
      return (await stage.workflows.status(id, runId)).status === 'TERMINATED';
    });
    expect(await stage.workflows.terminationReason(id, runId)).toContain('another run continues');
    // With each signal Temporal would count the tries of the task from 1 again, so that it would never count as stuck. A
    // signal that arrives during a try is in the history only after it.
    expect(await stage.workflows.signals(id, runId)).toBe(0);
    const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
    expect(event).toMatchObject({ generation, attempts: 2 });
    expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'delivered', generation });
  },
);

test('an input of a wrong form fails the run and not its task, and another workflow delivers the event', async () => {
  const { id } = await waitingEvent(stage);
  const runId = await stage.workflows.startOddly(id, ['text']);
  await expect(stage.workflows.result(id, runId)).rejects.toThrow('Workflow execution failed');
  await stage.gateway.database.pool.query(
    `update events set next_attempt_at = now() - interval '1 hour', swept_at = null where id = $1`,
    [id],
  );
  await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
});
