import { describe, expect, test } from 'vitest';
import { eventWorkflows } from '../../src/events/event-workflows.ts';
import { send } from '../support/admin-client.ts';
import { instantDelaysMs, lastAttempt, startGateway } from '../support/gateway.ts';
import { allFailed, attemptsOf, statesOf } from '../support/history.ts';
import { useStage } from '../support/situations.ts';
import { forTest } from '../support/use.ts';

// No api makes first attempts: each has API_DELIVERS=false, or is down (docs/decisions/which-events-get-a-workflow.md).

describe.each(eventWorkflows)('EVENT_WORKFLOWS=%s', (policy) => {
  const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers: false, eventWorkflows: policy });

  const attemptsIn = async (id: string) =>
    (await stage.workflows.activities(id)).filter((name) => name === 'attemptDelivery').length;

  test('a workflow makes the first attempt of an event, which succeeds', async () => {
    const { id } = await stage.sendTo(await stage.consumer());
    expect(await stage.workflows.result(id)).toEqual({ outcome: 'delivered', generation: 0, attempts: 1 });
    expect(await attemptsIn(id)).toBe(1);
    const event = await stage.gateway.admin.eventually(id, (e) => statesOf(e) === 'enqueued/delivered');
    expect(attemptsOf(event)).toEqual(['0 schedule 1 delivered']);
  });

  test('a workflow makes all attempts of an event whose consumer always answers 500', async () => {
    const { id } = await stage.sendTo(await stage.consumer(500));
    expect(await stage.workflows.result(id)).toEqual({ outcome: 'exhausted', generation: 0, attempts: lastAttempt });
    expect(await attemptsIn(id)).toBe(lastAttempt);
    expect(attemptsOf(await stage.gateway.admin.event(id))).toEqual(allFailed());
  });

  test('a workflow makes the first attempt of a replay', async () => {
    const { consumer, id } = await stage.sent(500);
    expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'exhausted' });
    consumer.replies = [200];
    await stage.operate.replay(id);
    const event = await stage.gateway.admin.eventually(id, (e) => statesOf(e) === 'enqueued/delivered');
    expect(attemptsOf(event)).toEqual([...allFailed(), '1 schedule 1 delivered']);
    expect(await stage.workflows.result(id)).toEqual({ outcome: 'delivered', generation: 1, attempts: 1 });
    expect(await attemptsIn(id)).toBe(1);
  });

  test('an api that starts makes the first attempts of what it accepts, and after its end workflows make them again', async () => {
    const { gateway, workflows } = stage;
    const consumer = await stage.consumer();
    const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
    const api = await forTest(
      startGateway({
        ...{ databaseUrl: gateway.databaseUrl, inPlaceOf: gateway },
        ...{ delaysMs: instantDelaysMs, eventWorkflows: policy },
      }),
    );
    const first = await send(api.baseUrl, account, '{"id":"first"}');
    await gateway.admin.eventually(first.body.id, (e) => statesOf(e) === 'enqueued/delivered');
    expect(await stage.workflowResult(first.body.id)).toEqual(
      policy === 'on_retry'
        ? null
        : { outcome: 'already_settled', deliveryStatus: 'delivered', generation: 0, attempts: 1 },
    );
    await api.stopWorker();
    const second = await gateway.send(account, '{"id":"second"}');
    expect(await workflows.result(second.body.id)).toEqual({ outcome: 'delivered', generation: 0, attempts: 1 });
    expect(consumer.deliveries).toHaveLength(2);
  });
});
