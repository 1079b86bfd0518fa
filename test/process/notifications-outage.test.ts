import { expect, onTestFinished, test } from 'vitest';
import { instantDelaysMs } from '../support/gateway.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { ownTemporal } from '../support/own-servers.ts';
import { accountWith, type Notification, notified, sendEvent } from '../support/services/notified-events.ts';
import { startReceivers } from '../support/services/receivers.ts';
import { openStage } from '../support/situations.ts';
import { forTest } from '../support/use.ts';

gatewaysEndWithTheirTest();

test('when Temporal stops while notifications wait, they are sent once, without it', async () => {
  const temporal = await ownTemporal();
  const receivers = await forTest(startReceivers());
  const stage = await openStage({
    delaysMs: instantDelaysMs,
    temporalAddress: temporal.address,
    mail: receivers.mailSettings,
    notifications: { waitsMs: [15_000, 15_000, 15_000, 15_000] },
    overdueS: 1,
  });
  onTestFinished(async () => {
    await temporal.start();
    await stage.close();
  });
  const { hook, mail, slack, discord } = receivers;
  hook.replies = [503];
  for (const service of [mail, discord]) service.outage = 503;
  const id = await sendEvent(stage, await accountWith(stage, receivers.destinations));
  await stage.gateway.admin.eventually(
    id,
    (e) =>
      e.notifications.length === 4 &&
      e.notifications.every(({ status, attempts }: Notification) => status === 'sent' || attempts > 0),
  );
  await temporal.stop();
  hook.replies = [200];
  for (const service of [mail, discord]) service.outage = null;
  const event = await notified(stage, id, 4, 120_000);
  expect(event.notifications.map(({ status }: Notification) => status)).toEqual(Array(4).fill('sent'));
  expect([mail.messages.length, slack.messages.length, discord.messages.length]).toEqual([1, 1, 1]);
  expect(hook.deliveries).toHaveLength(event.notifications[0].attempts);
  expect(receivers.complaints()).toEqual([]);
});
