import { expect, test } from 'vitest';
import { accountWith, type Notification, notified, sendEvent } from '../support/services/notified-events.ts';
import { useReceivers } from '../support/services/use-receivers.ts';

// Temporal loses a workflow while notifications wait: the sweep sends them from their rows (docs/concepts.md).

const { stage, receivers } = useReceivers({ notifications: { waitsMs: [8_000, 8_000, 8_000, 8_000] }, overdueS: 1 });

test.each(['terminated', 'deleted'] as const)(
  'when the workflow is %s, each destination is still notified',
  async (how) => {
    receivers.hook.replies = [500];
    for (const service of [receivers.mail, receivers.discord]) service.outage = 503;
    const situation = await accountWith(stage, receivers.destinations);
    const id = await sendEvent(stage, situation);
    await stage.gateway.admin.eventually(
      id,
      (e) =>
        e.notifications.length === 4 &&
        e.notifications.every(({ status, attempts }: Notification) => status === 'sent' || attempts >= 1),
    );
    await (how === 'terminated' ? stage.workflows.terminate(id) : stage.workflows.remove(id));
    receivers.hook.replies = [200];
    for (const service of [receivers.mail, receivers.discord]) service.outage = null;
    const event = await notified(stage, id, 4);
    expect(event.notifications.map(({ status }: Notification) => status)).toEqual(Array(4).fill('sent'));
    const answered = receivers.hook.deliveries.length;
    expect([
      receivers.mail.messages.length,
      receivers.slack.messages.length,
      receivers.discord.messages.length,
    ]).toEqual([1, 1, 1]);
    expect(answered).toBe(event.notifications[0].attempts);
    expect(new Set(receivers.hook.deliveries.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([`${id}.0.${situation.ids[0]}`]),
    );
    expect(receivers.complaints()).toEqual([]);
  },
);
