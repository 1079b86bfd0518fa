import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { folderForTest } from '../support/folder-for-test.ts';
import { instantDelaysMs } from '../support/gateway.ts';
import {
  accountWith,
  type Notification,
  notified,
  sendEvent,
  summarised,
} from '../support/services/notified-events.ts';
import { type Destination, mailAddress } from '../support/services/receivers.ts';
import { openStage } from '../support/situations.ts';
import { forTest } from '../support/use.ts';

// E-mail without an API key (docs/notifications.md).

const mail: Destination = {
  destination_type: 'email',
  name: 'Mail',
  config: { addresses: [mailAddress], include_payload: true },
};
const from = 'gateway@gateway.example';

async function stageWith(outboxDir: string | null) {
  const stage = await forTest(
    openStage({
      delaysMs: instantDelaysMs,
      mail: { from, sendgrid: null, outboxDir },
      notifications: { waitsMs: [10, 10, 10, 10] },
    }),
  );
  return stage;
}

test('the complete message is written to the outbox', async () => {
  const folder = folderForTest();
  const stage = await stageWith(folder);
  const bytes = Buffer.from('{"id":1.0,\r\n"type":"order.\\u00e9\u00e9","z":"\\u0000"}');
  const situation = await accountWith(stage, [mail]);
  const id = await sendEvent(stage, situation, bytes);
  expect(summarised(await notified(stage, id, 1))).toEqual(['0 email sent 1']);
  const files = await readdir(folder);
  expect(files).toHaveLength(1);
  const message = await PostalMime.parse(await readFile(join(folder, files[0] ?? '')));
  expect([message.from?.address, message.to?.map(({ address }) => address)]).toEqual([from, [mailAddress]]);
  const facts = ['order.éé', 'generic', situation.account.account_slug, id, `/dashboard/events/${id}`];
  for (const part of [message.text, message.html]) expect(facts.filter((fact) => !part?.includes(fact))).toEqual([]);
  expect(
    message.attachments.map(({ content }) =>
      typeof content === 'string' ? content : Buffer.from(new Uint8Array(content)),
    ),
  ).toEqual([bytes]);
});

test('without a key and an outbox the notification fails with that reason', async () => {
  const stage = await stageWith(null);
  const consumer = await stage.consumer(200);
  const id = await sendEvent(
    stage,
    await accountWith(stage, [mail, { destination_type: 'webhook', name: 'Hook', config: { url: consumer.url } }]),
  );
  const event = await notified(stage, id, 2);
  expect(event.notifications.map(({ status }: Notification) => status)).toEqual(['failed', 'sent']);
  expect(event.notifications[0].error).toMatch(/mail|SENDGRID_API_KEY/i);
  expect(consumer.deliveries).toHaveLength(1);
});
