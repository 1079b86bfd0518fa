import { beforeAll, describe, expect, test } from 'vitest';
import type { Consumer } from '../support/consumer.ts';
import { firstAttemptsBy } from '../support/first-attempts.ts';
import { instantDelaysMs } from '../support/gateway.ts';
import { attemptsOf, statesOf } from '../support/history.ts';
import { deadError } from '../support/operator.ts';
import { openStage } from '../support/situations.ts';
import { useForAll } from '../support/use.ts';

// Operators' commands on an event before any process has claimed it (docs/concepts.md).

interface Early {
  id: string;
  accountId: string;
  consumer: Consumer;
}

describe.each(firstAttemptsBy)('before any attempt, first attempts by %s', (_, apiDelivers) => {
  const early: Record<string, Early> = {};
  const event = (name: string) => {
    const found = early[name];
    if (!found) throw new Error(`no event for ${name}`);
    return found;
  };
  const names = ['ack', 'fail', 'dead', 'replay', 'retry', 'deadThenReplay', 'delete', 'disable', 'disableAndBack'];

  // The worker starts once for all events. Each event has its own account and consumer.
  // Not cleared after each test: all of them look at the events of one start.
  const stage = useForAll(
    () => openStage({ delaysMs: instantDelaysMs, apiDelivers, worker: false }),
    (opened) => opened.close(),
  );
  beforeAll(async () => {
    for (const name of names) {
      const consumer = await stage.consumer();
      early[name] = { ...(await stage.sendTo(consumer)), consumer };
    }
    const { operate } = stage;
    await operate.ack(event('ack').id);
    await operate.fail(event('fail').id);
    await operate.dead(event('dead').id);
    await operate.replay(event('replay').id);
    await operate.retry(event('retry').id);
    await operate.dead(event('deadThenReplay').id);
    await operate.replay(event('deadThenReplay').id);
    await operate.deleteAccount(event('delete').accountId);
    await operate.setEnabled(event('disable').accountId, false);
    await operate.setEnabled(event('disableAndBack').accountId, false);
    await operate.setEnabled(event('disableAndBack').accountId, true);
    await stage.gateway.startWorker();
  });

  /** The event after its workflow has ended; the outcome is null if it needed none. */
  async function settled(name: string) {
    const { id, consumer } = event(name);
    const outcome = (await stage.workflowResult(id))?.outcome ?? null;
    const row = await stage.gateway.admin.eventually(id, (e) => e.status !== 'received');
    return { outcome, row, consumer };
  }

  test.each([
    ['ack', 'processed/delivered', null],
    ['dead', 'dead/failed', deadError],
    ['delete', 'enqueued/failed', 'account_deleted'],
  ])('after %s nothing is sent, and the workflow ends', async (name, states, lastError) => {
    const { outcome, row, consumer } = await settled(name);
    if (stage.gateway.eventWorkflows === 'on_retry') expect(outcome).toBeNull();
    else expect(['already_settled', 'acknowledged', 'dead', 'account_deleted']).toContain(outcome);
    expect(statesOf(row)).toBe(states);
    expect(row).toMatchObject({ attempts: 0, last_error: lastError, delivery_history: [] });
    expect(consumer.deliveries).toHaveLength(0);
  });

  test('fail does not change the attempts', async () => {
    const { row, consumer } = await settled('fail');
    expect(statesOf(row)).toBe('failed/delivered');
    expect(attemptsOf(row)).toEqual(['0 schedule 1 delivered']);
    expect(consumer.deliveries).toHaveLength(1);
    expect(row.last_error).toBeNull();
  });

  test.each(['replay', 'deadThenReplay'])(
    'after %s the event is attempted in the new generation only',
    async (name) => {
      const { row, consumer } = await settled(name);
      expect(row).toMatchObject({ status: 'enqueued', delivery_status: 'delivered', generation: 1, attempts: 1 });
      expect(attemptsOf(row)).toEqual(['1 schedule 1 delivered']);
      expect(consumer.deliveries.map(({ headers }) => headers['x-webhook-replay'])).toEqual(['true']);
    },
  );

  test('a retry is made in addition to the first attempt', async () => {
    const { id } = event('retry');
    const row = await stage.gateway.admin.eventually(id, (e) => e.attempts === 2);
    expect(attemptsOf(row).toSorted()).toEqual(['0 manual 1 delivered', '0 schedule 1 delivered']);
    expect(row.delivery_status).toBe('delivered');
  });

  test('an event whose account was enabled again is delivered', async () => {
    const { row } = await settled('disableAndBack');
    expect(attemptsOf(row)).toEqual(['0 schedule 1 delivered']);
  });

  test('an event of a disabled account waits, and no attempt is counted', async () => {
    const { id, consumer } = event('disable');
    const row = await stage.gateway.admin.event(id);
    expect(row).toMatchObject({ waits_for: 'account_disabled', delivery_status: 'pending', next_attempt_at: null });
    expect(row).toMatchObject({ attempts: 0, delivery_history: [] });
    expect(await stage.workflows.latestRun(id)).toBeNull();
    expect(consumer.deliveries).toHaveLength(0);
  });
});
