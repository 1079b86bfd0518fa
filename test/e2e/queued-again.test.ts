import { expect, test } from 'vitest';
import { instantDelaysMs } from '../support/gateway.ts';
import { useStage } from '../support/situations.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';

// A replay that is requested between the claim of an event and the start of its workflow queues the event again, although
// that start is already for the new generation.

const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers: false });

test.each([
  ['delivered', 200],
  ['exhausted', 500],
] as const)(
  'an event that is queued again after its workflow has ended as %s gets no other one',
  async (outcome, answer) => {
    const { database } = stage.gateway;
    const { id } = await stage.sendTo(await stage.consumer(answer));
    const queued = async () => (await rows(database, 'select 1 from event_queue where event_id = $1', [id])).length > 0;
    expect(await stage.workflows.result(id)).toMatchObject({ outcome });
    const { runId } = await stage.workflows.status(id);
    await until('the start is recorded', async () => !(await queued()));
    await rows(
      database,
      'insert into event_queue (event_id, account_id, generation, lane) select id, account_id, generation, 0 from events where id = $1',
      [id],
    );
    await until('the event has left the queue', async () => !(await queued()));
    expect((await stage.workflows.status(id)).runId).toBe(runId);
    expect(await stage.workflows.result(id)).toMatchObject({ outcome });
  },
);
