import { expect, test } from 'vitest';
import { eventWorkflows } from '../../src/events/event-workflows.ts';
import { consumerForTest } from '../support/consumer.ts';
import { lastAttempt, quickDelaysMs } from '../support/gateway.ts';
import { openStage } from '../support/situations.ts';
import { rows } from '../support/stored.ts';
import { forTest } from '../support/use.ts';

// While no api makes first attempts, the workflow of an event makes all attempts.

test.each(eventWorkflows)(
  'with EVENT_WORKFLOWS=%s, a workflow makes each attempt once, from number 1 on',
  async (policy) => {
    const stage = await forTest(openStage({ eventWorkflows: policy, apiDelivers: false, delaysMs: quickDelaysMs }));
    const { admin, database } = stage.gateway;
    const consumer = await consumerForTest(500, 500, 200);
    const { id } = await stage.sendTo(consumer);
    // That its workflow was started is recorded at the same time as its attempts, and may be later than they are.
    const event = await admin.eventually(id, (e) => e.delivery_status === 'delivered' && e.status === 'enqueued');
    expect(event.attempts).toBe(lastAttempt);
    expect(consumer.deliveries.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['1', '2', '3']);
    const made =
      'select generation, trigger, number, outcome from delivery_attempts where event_id = $1 order by number';
    expect(await rows(database, made, [id])).toMatchObject([
      { generation: 0, trigger: 'schedule', number: 1, outcome: 'http_error' },
      { generation: 0, trigger: 'schedule', number: 2, outcome: 'http_error' },
      { generation: 0, trigger: 'schedule', number: 3, outcome: 'delivered' },
    ]);
    expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'delivered', attempts: lastAttempt });
  },
);
