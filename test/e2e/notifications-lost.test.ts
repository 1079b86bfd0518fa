import { Client, Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { Receivers } from '../support/services/receivers.ts';
import { playWithReceivers } from '../support/services/stage.ts';
import { accountWith, type Notification, sendEvent, told } from '../support/services/telling.ts';
import type { Stage } from '../support/situations.ts';

// Temporal loses a workflow while notifications wait: what is left is sent from the rows (docs/concepts.md).

let stage: Stage;
let receivers: Receivers;
playWithReceivers({ notifications: { waitsMs: [2_000, 2_000, 2_000, 2_000] }, overdueS: 1 }, (...opened) => {
  [stage, receivers] = opened;
});

async function lose(how: 'terminated' | 'deleted', eventId: string): Promise<void> {
  const { address, namespace } = stage.gateway.temporal;
  const connection = await Connection.connect({ address, channelArgs: { 'grpc.enable_http_proxy': 0 } });
  const workflowId = `event-${eventId}`;
  try {
    if (how === 'terminated') await new Client({ connection, namespace }).workflow.getHandle(workflowId).terminate();
    else await connection.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
  } finally {
    await connection.close();
  }
}

test.each(['terminated', 'deleted'] as const)(
  'a workflow that is %s: each destination is told all the same',
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
    await lose(how, id);
    receivers.hook.replies = [200];
    for (const service of [receivers.mail, receivers.discord]) service.outage = null;
    const event = await told(stage, id, 4);
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
