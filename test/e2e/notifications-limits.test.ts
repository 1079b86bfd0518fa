import { expect, test } from 'vitest';
import { accountWith, notified, sendEvent, summarised } from '../support/services/notified-events.ts';
import { type Destination, mailAddress, webhookTo } from '../support/services/receivers.ts';
import { useReceivers } from '../support/services/use-receivers.ts';
import { until } from '../support/until.ts';

// Limits of the services and the gateway: sizes, answers, addresses.

const mebibyte = 1024 * 1024;

const { stage, receivers } = useReceivers({
  maxPayloadBytes: 32 * mebibyte,
  notifications: { waitsMs: [20, 20, 20, 20] },
});

const mailTo = (...addresses: string[]): Destination => ({
  destination_type: 'email',
  name: 'Mail',
  config: { addresses, include_payload: true },
});

test.each([
  ['20 MiB', 20 * mebibyte, 1],
  ['a byte more', 20 * mebibyte + 1, 0],
])('with a payload of %s the mail arrives', async (_, bytes, attachments) => {
  // Bytes that are not text.
  const body = new Uint8Array(bytes).fill(0x80);
  const { account, ...situation } = await accountWith(stage, [mailTo(mailAddress)]);
  // Without a delivery URL nothing is sent to the consumer: 20 MiB for each attempt would take long.
  await stage.gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, { delivery_url: null });
  const id = await sendEvent(stage, { account, ...situation }, body, { 'content-type': 'application/octet-stream' });
  // Polls the table instead of the API, whose answer contains the payload of 20 MiB.
  const status = await until(
    'the mail is settled',
    async () => {
      const [row] = await stage.gateway.rows('select status, attempts from notifications where event_id = $1', [id]);
      return row?.status !== undefined && row.status !== 'pending' && row;
    },
    100_000,
  );
  expect(status).toEqual({ status: 'sent', attempts: 1 });
  expect(receivers.complaints()).toEqual([]);
  const [mail] = receivers.mail.messages;
  const attached = (mail?.attachments ?? []).map(({ content }) => Buffer.from(content, 'base64').length);
  expect(attached).toEqual(Array(attachments).fill(bytes));
});

test('an address that is listed twice gets one mail', async () => {
  const situation = await accountWith(stage, [
    mailTo('a@ops.example', 'b@ops.example', 'A@ops.example', 'a@ops.example'),
  ]);
  expect(summarised(await notified(stage, await sendEvent(stage, situation), 1))).toEqual(['0 email sent 1']);
  expect(receivers.complaints()).toEqual([]);
});

test('each of fifty addresses gets the mail once', async () => {
  const addresses = Array.from({ length: 50 }, (_, n) => `person-${n}@ops.example`);
  await notified(stage, await sendEvent(stage, await accountWith(stage, [mailTo(...addresses)])), 1);
  const reached = receivers.mail.messages.flatMap(({ personalizations }) =>
    personalizations.flatMap(({ to, cc = [], bcc = [] }) => [...to, ...cc, ...bcc].map(({ email }) => email)),
  );
  expect(reached.toSorted()).toEqual(addresses.toSorted());
  expect(receivers.complaints()).toEqual([]);
});

test('an endless answer does not block a notification', async () => {
  const timers: NodeJS.Timeout[] = [];
  receivers.hook.replies = [
    (response) => {
      response.writeHead(200);
      timers.push(setInterval(() => response.write('x'.repeat(4_096)), 5));
    },
  ];
  const id = await sendEvent(stage, await accountWith(stage, [webhookTo(receivers.hook, '/endless')]));
  const event = await notified(stage, id, 1);
  for (const timer of timers) clearInterval(timer);
  expect(summarised(event)).toEqual(['0 webhook sent 1']);
});

test('a redirect is not followed', async () => {
  const elsewhere = new URL('/elsewhere', receivers.hook.url).href;
  receivers.hook.replies = [(response) => response.writeHead(307, { location: elsewhere }).end()];
  const event = await notified(
    stage,
    await sendEvent(stage, await accountWith(stage, [webhookTo(receivers.hook, '/here')])),
    1,
  );
  expect(event.notifications[0]).toMatchObject({ status: 'failed', error: expect.stringContaining('307') });
  expect(new Set(receivers.hook.deliveries.map(({ url }) => url))).toEqual(new Set(['/here']));
});

test('the query of a URL is kept, such as a thread of Discord or a token of a webhook', async () => {
  const { discord, hook } = receivers;
  const thread: Destination = {
    destination_type: 'chat_two',
    name: 'Thread',
    config: { webhook_url: `${discord.url}?thread_id=42` },
  };
  const situation = await accountWith(stage, [thread, webhookTo(hook, '/hook?token=a%2Fb&c')]);
  await notified(stage, await sendEvent(stage, situation), 2);
  expect(discord.requests.map(({ url }) => new URL(url, discord.origin).searchParams.get('thread_id'))).toEqual(['42']);
  expect(hook.deliveries.map(({ url }) => url)).toEqual(['/hook?token=a%2Fb&c']);
});
