import { expect, test } from 'vitest';
import { chatOneMessage } from '../../../src/notifications/messages/chat-one-message.ts';
import { chatTwoMessage } from '../../../src/notifications/messages/chat-two-message.ts';
import { emailMessage } from '../../../src/notifications/messages/email-message.ts';
import { webhookMessage } from '../../../src/notifications/messages/webhook-message.ts';
import { incident, incidents, stringsIn } from './support.ts';

const plain = { includePayload: false };
const url = 'https://hooks.example.com/dashboard/incidents/0198f3a2-9999-7d2e-9a53-5f1c2b7e8d90';
const resolved = { type: 'incident.resolved', at: new Date('2026-11-21T15:30:00.000Z') } as const;

test('the webhook has the incident with the names of the admin API', () => {
  expect(webhookMessage(incidents())).toEqual({
    ...{ type: 'incident.opened', id: 'm1', timestamp: '2026-11-21T15:23:16.120Z' },
    data: {
      incident: {
        ...{ id: '0198f3a2-9999-7d2e-9a53-5f1c2b7e8d90', kind: 'delivery', state: 'open' },
        ...{ account_id: '0198f3a2-0000-7d2e-9a53-5f1c2b7e8d90', provider: 'stripe', account_slug: 'shop-eu' },
        ...{ app_key: 'shop-app', consumer: 'billing', cause: "500 TypeError: Cannot read 'id' webhooks.js:#" },
        ...{ first_seen_at: '2026-11-21T15:22:07.000Z', last_seen_at: '2026-11-21T15:23:12.000Z' },
        ...{ attempts: 34, example_event_id: '0198f3a2-7c41-7d2e-9a53-5f1c2b7e8d90' },
      },
      ...{ reminder: false, dashboard_url: url },
    },
  });
  expect(webhookMessage(incidents(resolved))).toMatchObject({
    ...{ type: 'incident.resolved', timestamp: '2026-11-21T15:30:00.000Z' },
    data: { incident: { state: 'resolved' } },
  });
  expect(() => webhookMessage(incidents({}, {}))).toThrow(TypeError);
});

test('an e-mail about one incident says what is wrong, where and since when', () => {
  const { subject, text, html } = emailMessage(incidents(), plain);
  expect(subject).toBe("Incident opened: shop-eu, billing: 500 TypeError: Cannot read 'id' webhooks.js:#");
  expect(text).toBe(`Incident opened

Deliveries to this consumer fail.

Provider:    stripe
Account:     shop-eu
Consumer:    billing
Since:       2026-11-21 15:22:07 UTC
Last seen:   2026-11-21 15:23:12 UTC
Failed:      34 attempts

Cause:
  500 TypeError: Cannot read 'id' webhooks.js:#

Open the incident in the dashboard:
${url}

You get this because your address is in a destination of the account shop-eu (stripe).
`);
  expect(html).toContain(`href="${url}"`);
});

test('reminders, the end of an incident, and rejected webhooks have words of their own', () => {
  const subjectOf = (...some: Parameters<typeof incidents>) => emailMessage(incidents(...some), plain).subject;
  expect(subjectOf({ reminder: true, consumer: 'default', cause: '503' })).toBe('Incident still open: shop-eu: 503');
  expect(subjectOf({ ...resolved, cause: '503' })).toBe('Incident resolved: shop-eu, billing: 503');
  const rejections = incidents({ kind: 'rejections', consumer: null, cause: 'invalid_signature' });
  const { subject, text } = emailMessage(rejections, plain);
  expect(subject).toBe('Incident opened: shop-eu: webhooks rejected: invalid_signature');
  expect(text).toContain('Rejected:    34 webhooks');
  expect(text).not.toContain('Consumer:');
  expect(emailMessage(incidents(resolved), plain).text).toContain('Resolved at: 2026-11-21 15:30:00 UTC');
});

test('several incidents are one message with their number, the first ten, and a link to the list', () => {
  const many = incidents(
    ...Array.from({ length: 12 }, (_, n) => ({ account_id: `a${n}`, account_slug: `shop-${n}`, cause: '503' })),
  );
  const { subject, text } = emailMessage(many, plain);
  expect(subject).toBe('12 incidents opened (12 accounts)');
  expect(text).toContain('12 incidents of 12 accounts: 12 opened. Here are the first 10 of them.\n');
  expect(text).toContain(`* shop-9, billing: opened: 503\n  ${url}\n`);
  expect(text).not.toContain('shop-10');
  expect(text).toContain('Open the incidents in the dashboard:\nhttps://hooks.example.com/dashboard/incidents\n');
  expect(text).toContain('your address is in destinations of 12 accounts.');
  const slack = chatOneMessage(many);
  expect(slack.text).toBe('12 incidents of 12 accounts: 12 opened. Here are the first 10 of them.');
  expect(stringsIn(slack.blocks)).toContain('shop-0, billing: opened: 503');
  expect(chatTwoMessage(many).embeds[0].fields).toHaveLength(10);
});

test('a message about different changes counts each', () => {
  const { subject, text } = emailMessage(incidents({}, { reminder: true }, resolved, resolved), plain);
  expect(subject).toBe('4 incidents: 1 opened, 1 still open, 2 resolved (shop-eu)');
  expect(text).toContain('4 incidents of shop-eu: 1 opened, 1 still open, 2 resolved.\n');
  expect(text).toContain('* shop-eu, billing: resolved: 500 TypeError');
  expect(text).toContain('your address is in a destination of the account shop-eu (stripe).');
});

test('chats show the cause once in their previews, and the end in another colour', () => {
  const slack = chatOneMessage(incidents({ cause: '503' }));
  expect(slack.text).toBe('Incident opened: shop-eu, billing: 503');
  expect(stringsIn(slack.blocks)).toEqual(
    expect.arrayContaining(['Incident opened', '*Cause*', '503', 'shop-eu', 'billing', '34 attempts']),
  );
  const [opened] = chatTwoMessage(incidents()).embeds;
  const [ended] = chatTwoMessage(incidents(resolved)).embeds;
  expect(opened).toMatchObject({ title: 'Incident opened', url, timestamp: incident().at.toISOString() });
  expect(ended.title).toBe('Incident resolved');
  expect(ended.color).not.toBe(opened.color);
});
