import { beforeAll, expect, test } from 'vitest';
import {
  accountWith,
  allSent,
  notified,
  sendEvent,
  shownByMail,
  shownBySlack,
  summarised,
} from '../support/services/notified-events.ts';
import { type Destination, mailAddress } from '../support/services/receivers.ts';
import { stringsIn } from '../support/services/service.ts';
import { formattedIn } from '../support/services/slack.ts';
import { useReceivers } from '../support/services/use-receivers.ts';

// With any data from outside, each service accepts the message, and the data has no effect on its readers.

const { stage, receivers } = useReceivers();
let destinations: Destination[];
beforeAll(() => {
  const mail: Destination = {
    destination_type: 'email',
    name: 'Mail',
    config: { addresses: [mailAddress], include_payload: true },
  };
  destinations = receivers.destinations.map((one) => ({
    ...(one.destination_type === 'email' ? mail : one),
    name: hostile,
  }));
});

const hostile =
  '<img src=x onerror=alert(1)><!channel> <@U024BE7LH> <https://evil.test|here> @everyone <@80351110224678912> [a](https://evil.test) **b** `c` "d" & \'e\'';
const withType = (type: string) => JSON.stringify({ id: '1', type });
const json = { 'content-type': 'application/json' };

const bodies: [string, string | Uint8Array<ArrayBuffer>, Record<string, string>][] = [
  ['markup and mentions', withType(hostile), json],
  ['characters of four bytes', withType('😀'.repeat(3000)), json],
  ['a long type', withType('x'.repeat(10_000)), json],
  ['control characters', withType('a\u0000b\u0007c\u001b[31md\r\nBcc: all@evil.test\u2028e\u202ef'), json],
  ['half a character', '{"id":"1","type":"half \\ud83d"}', json],
  ['an id of spaces and an empty type', '{"id":" ","type":""}', json],
  ['no type', '{"id":"1"}', json],
  ['nothing', '', json],
  ['a form', 'type=order&note=%3Cb%3E', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['bytes', Uint8Array.from({ length: 512 }, (_, n) => n), { 'content-type': 'application/octet-stream' }],
  ['bytes of no type', Uint8Array.from([0xff, 0xfe, 0x00, 0xd8]), {}],
  ['XML with parameters', '<a>&amp;</a>', { 'content-type': 'text/xml; charset="utf-8"; x="a;b,c"' }],
  ['an invalid content type', 'a', { 'content-type': 'no type, at all' }],
  ['a large one', `{"id":"1","note":"${'é'.repeat(400_000)}"}`, json],
];

test.each(bodies)('%s', async (_, body, headers) => {
  const situation = await accountWith(stage, destinations);
  const id = await sendEvent(stage, situation, body, headers);
  const event = await notified(stage, id, 4);
  expect(receivers.complaints()).toEqual([]);
  expect(summarised(event)).toEqual(allSent);

  const [mail] = receivers.mail.messages;
  const bytes = Buffer.from(body);
  // SendGrid refuses an empty attachment.
  const attached = (mail?.attachments ?? []).map(({ content }) => Buffer.from(content, 'base64'));
  expect(attached).toEqual(bytes.length === 0 ? [] : [bytes]);
  const { subject, raw } = shownByMail(mail);
  expect(subject).not.toMatch(/\p{Cc}/u);
  expect(subject).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  expect(raw).not.toMatch(/<img|<script|\0/i);
  expect(raw).not.toMatch(/href="https:\/\/evil/);

  const [slack] = receivers.slack.messages;
  expect((slack ? formattedIn(slack) : []).filter((text) => /<https:\/\/evil|<img/.test(text))).toEqual([]);
  expect(shownBySlack(slack)).toContain(id);
  const [discord] = receivers.discord.messages;
  expect(stringsIn(discord).filter(({ text }) => /(?<!\\)\]\(https:\/\/evil/.test(text))).toEqual([]);

  const [hook] = receivers.hook.deliveries;
  const told4 = JSON.parse(hook?.body.toString() ?? '');
  expect([told4.data.event.id, told4.data.event.event_type]).toEqual([id, event.event_type]);
});

test('markup in the error of a consumer stays text', async () => {
  const situation = await accountWith(stage, destinations, [
    (response) => response.writeHead(500, '<b>sad</b>', { 'content-type': 'text/html' }).end(hostile),
  ]);
  const id = await sendEvent(stage, situation, withType('order'));
  expect(summarised(await notified(stage, id, 4))).toEqual(allSent);
  expect(receivers.complaints()).toEqual([]);
  expect(shownByMail(receivers.mail.messages[0]).raw).not.toMatch(/<img|<b>sad/);
});
