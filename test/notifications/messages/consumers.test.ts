import { expect, test } from 'vitest';
import { chatOneMessage } from '../../../src/notifications/messages/chat-one-message.ts';
import { chatTwoMessage } from '../../../src/notifications/messages/chat-two-message.ts';
import { emailMessage } from '../../../src/notifications/messages/email-message.ts';
import { webhookMessage } from '../../../src/notifications/messages/webhook-message.ts';
import { expectDiscordLimits, expectSlackLimits } from './limits.ts';
import { failure, listed, stringsIn, summary } from './support.ts';

const plain = { includePayload: false };
const ofBilling = failure({}, { consumer: 'billing' });

test('each message about an event names its consumer', () => {
  expect(webhookMessage(ofBilling).data.event.consumer).toBe('billing');
  const { subject, text, html } = emailMessage(ofBilling, plain);
  expect(subject).toBe('Delivery failed: order.paid (shop, billing)');
  expect(text).toContain('\nAccount:     shop\nConsumer:    billing\n');
  expect(html).toContain('billing');
  const slack = chatOneMessage(ofBilling);
  expectSlackLimits(slack);
  expect(slack.text).toBe('Delivery failed: order.paid (shop, billing): HTTP 503');
  expect(stringsIn(slack.blocks)).toContain('billing');
  const discord = chatTwoMessage(ofBilling);
  expectDiscordLimits(discord);
  expect(discord.embeds[0].fields).toContainEqual({ name: 'Consumer', value: 'billing', inline: true });
});

test('the webhook names the consumer `default`; texts do not, as an account without others has only this one', () => {
  expect(webhookMessage(failure()).data.event.consumer).toBe('default');
  const { subject, text } = emailMessage(failure(), plain);
  expect(`${subject}${text}`).not.toContain('default');
});

test('a subject keeps the name of the consumer when the slug is long', () => {
  const { subject } = emailMessage(failure({}, { account_slug: 's'.repeat(100), consumer: 'c'.repeat(40) }), plain);
  expect(subject).toMatch(/^Delivery failed: order\.paid \(s{37}…, c{40}\)$/);
});

test('the events of a summary name their consumers', () => {
  const notice = summary({ first: [listed({ consumer: 'billing' }), listed()] });
  expect(emailMessage(notice, plain).text).toContain('* order.paid for billing: HTTP 503\n');
  expect(stringsIn(chatOneMessage(notice).blocks)).toEqual(
    expect.arrayContaining(['order.paid for billing: HTTP 503', 'order.paid: HTTP 503']),
  );
  expect(chatTwoMessage(notice).embeds[0].fields.map(({ name }) => name)).toEqual([
    'order.paid for billing',
    'order.paid',
  ]);
});
