import { describe, expect, test } from 'vitest';
import { firstAttemptsBy } from '../support/first-attempts.ts';
import { instantDelaysMs, lastAttempt } from '../support/gateway.ts';
import { hold } from '../support/replies.ts';
import { exhaustedEvent, useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';

// When the workflow of an event has ended, its search attributes in Temporal say what the event's row says.

describe.each(firstAttemptsBy)('first attempts by %s', (_, apiDelivers) => {
  const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers, eventWorkflows: 'always' });

  /** What an operator sees of the event in Temporal, after its latest run. */
  async function shown(id: string) {
    const result = await stage.workflows.result(id);
    const { deliveryStatus, attempt } = await stage.workflows.attributes(id);
    return { ...result, shown: [deliveryStatus, attempt] };
  }

  test('an event whose first attempt succeeds is delivered', async () => {
    const { id } = await stage.sendTo(await stage.consumer(200));
    await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered' && e.workflow !== null);
    expect(await shown(id)).toEqual({
      ...(apiDelivers ? { outcome: 'already_settled', deliveryStatus: 'delivered' } : { outcome: 'delivered' }),
      ...{ generation: 0, attempts: 1, shown: ['delivered', 1] },
    });
  });

  test('an exhausted event is failed, and delivered after a retry that succeeds', async () => {
    const { id, consumer } = await exhaustedEvent(stage);
    expect(await shown(id)).toMatchObject({ outcome: 'exhausted', shown: ['failed', lastAttempt] });
    consumer.replies = [500, 200];
    for (const [outcome, deliveryStatus] of [
      [500, 'failed'],
      [200, 'delivered'],
    ]) {
      await stage.operate.retry(id);
      await stage.gateway.admin.eventually(
        id,
        (e) => e.response_code === outcome && e.delivery_status === deliveryStatus,
      );
      await until('the workflow has ended', async () => (await stage.workflows.status(id)).status === 'COMPLETED');
      expect(await shown(id)).toMatchObject({ generation: 0, shown: [deliveryStatus, lastAttempt] });
    }
  });

  test.each([
    ['ack', 'acknowledged', 'delivered'],
    ['dead', 'dead', 'failed'],
  ] as const)('an event that is ended by %s during its first attempt is %s', async (operation, outcome, status) => {
    const held = hold();
    const { id } = await stage.sendTo(await stage.consumer(held.reply));
    await held.arrived;
    await stage.operate[operation](id);
    held.answer(500);
    // After the api's attempt, the workflow starts after the operator's command.
    const result = apiDelivers ? { outcome: 'already_settled', deliveryStatus: status } : { outcome };
    await until('its workflow has started', () => stage.workflows.latestRun(id));
    expect(await shown(id)).toMatchObject({ ...result, generation: 0, shown: [status, expect.any(Number)] });
  });
});
