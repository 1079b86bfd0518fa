import { describe, expect, test } from 'vitest';
import { lastAttempt } from '../support/gateway.ts';
import { accountWith, notified, sendEvent } from '../support/services/notified-events.ts';
import { webhookTo } from '../support/services/receivers.ts';
import { useReceivers } from '../support/services/use-receivers.ts';

// What a delivery costs in Temporal Cloud, which bills actions (docs/sizing.md). Schedules of tests have three attempts.

const failed = (times: number) => Array.from({ length: times }, () => 500);

describe.each([
  { made: 'by workflows', apiDelivers: false, byApi: 0 },
  { made: 'by an api at first', apiDelivers: true, byApi: 1 },
])('attempts $made', ({ apiDelivers, byApi }) => {
  const { stage, receivers } = useReceivers({ apiDelivers, eventWorkflows: 'always', delaysMs: [200, 200] });

  /** The actions of an event with two destinations. There is a timer for each wait that has not passed already. */
  async function actionsOf(replies: number[], notifications = 0) {
    const destinations = [webhookTo(receivers.hook, '/one'), webhookTo(receivers.hook, '/two')];
    const situation = await accountWith(stage, destinations, replies);
    const id = await sendEvent(stage, situation);
    if (notifications > 0) await notified(stage, id, notifications);
    await stage.workflows.result(id);
    const { timers, ...others } = await stage.workflows.actions(id);
    expect(timers).toBeLessThanOrEqual(Math.max(0, replies.length - 1));
    return others;
  }

  const none = { starts: 1, activities: 0, upserts: 0, signals: 0, markers: 0 };

  test('delivered by the first attempt', async () => {
    const made = 1 - byApi;
    expect(await actionsOf([200])).toEqual({ ...none, activities: made, upserts: made });
  });

  test('delivered by the last attempt', async () => {
    const made = lastAttempt - byApi;
    const replies = [...failed(lastAttempt - 1), 200];
    expect(await actionsOf(replies)).toEqual({ ...none, activities: made, upserts: made });
  });

  test('exhausted, with two notifications', async () => {
    const made = lastAttempt - byApi;
    // The status is written when it changes, and the number after each failed attempt.
    const expected = { ...none, activities: made + 2, upserts: made + 1 };
    expect(await actionsOf(failed(lastAttempt), 2)).toEqual(expected);
  });
});
