import { expect, test } from 'vitest';
import { type ChatOneMessage, chatOneMessage } from '../../../src/notifications/messages/chat-one-message.ts';
import type { Notice } from '../../../src/notifications/notice.ts';
import { expectReadable, expectSlackLimits } from './limits.ts';
import { failure, hardValues, incidents, listed, noticesWith, summary } from './support.ts';

const objectsOf = ({ blocks }: ChatOneMessage) =>
  blocks.flatMap((block) => {
    if (block.type === 'divider') return [];
    return ['text' in block ? [block.text] : [], 'fields' in block ? (block.fields ?? []) : []].flat();
  });
const textsOf = (message: ChatOneMessage, type: 'plain_text' | 'mrkdwn') =>
  objectsOf(message).flatMap((object) => (object.type === type ? [object.text] : []));

test('the message of a failed event has its fields, its error and a link', () => {
  const message = chatOneMessage(failure());
  expect(textsOf(message, 'plain_text')).toEqual([
    'Delivery failed',
    'order.paid',
    'generic',
    'shop',
    '0198f3a2-7c41-7d2e-9a53-5f1c2b7e8d90',
    '2026-11-21 15:33:16 UTC',
    '10',
    'HTTP 503',
  ]);
  const url = 'https://hooks.example.com/dashboard/events/0198f3a2-7c41-7d2e-9a53-5f1c2b7e8d90';
  expect(textsOf(message, 'mrkdwn')).toContain(`<${url}|Open the event in the dashboard>`);
  expect(message.text).toBe('Delivery failed: order.paid (shop): HTTP 503');
});

test('the message of a summary has its first events and a link to all', () => {
  const message = chatOneMessage(summary());
  expect(textsOf(message, 'plain_text')).toEqual([
    '12 more events exhausted',
    '12 more events of shop (generic) were exhausted between 2026-11-21 15:20:00 UTC and 2026-11-21 15:33:16 UTC. Here are the first of them.',
    'order.paid: HTTP 503',
    'no type: HTTP 503',
  ]);
  expect(textsOf(message, 'mrkdwn').at(-1)).toBe(
    '<https://hooks.example.com/dashboard/events?provider=generic&amp;account_slug=shop|Open the list in the dashboard>',
  );
});

test('a test message says that nothing has failed, also in its preview', () => {
  const message = chatOneMessage(failure({ sample: true }));
  expect(message.text).toMatch(/^\[Test\] Nothing has failed/);
  expect(textsOf(message, 'plain_text')[0]).toBe('Test: nothing has failed');
  expect(textsOf(message, 'mrkdwn')[0]).toContain('Nothing has failed');
});

test('the message says when an event has no type or no error', () => {
  const texts = textsOf(chatOneMessage(failure({ error: '' }, { event_type: null })), 'plain_text');
  expect(texts).toContain('no type');
  expect(texts).toContain('no error message');
});

test.each(hardValues)('%s in every value: limits hold', (_, value) => {
  for (const notice of noticesWith(value)) {
    const message = chatOneMessage(notice);
    expectSlackLimits(message);
    expectReadable(message);
  }
});

/** A notice of the same form, of harmless values. */
function harmlessAs(notice: Notice): Notice {
  switch (notice.kind) {
    case 'delivery_failed':
      return failure({}, { consumer: notice.event.consumer });
    case 'summary':
      return summary({ first: Array(60).fill(listed()) });
    case 'incidents':
      return incidents(...notice.incidents.map(() => ({})));
  }
}

test('values of an event cause no formatting, links or mentions', () => {
  const value = '@here <!channel> <@U123> <https://evil|x> *b* http://evil.com :tada: #general';
  for (const notice of noticesWith(value)) {
    const message = chatOneMessage(notice);
    const harmless = chatOneMessage(harmlessAs(notice));
    // Slack finds the same markup as in the message of a harmless event.
    expect(textsOf(message, 'mrkdwn')).toEqual(textsOf(harmless, 'mrkdwn'));
    expect(message.mrkdwn).toBe(false);
    expect(message.text).not.toMatch(/[<>]|@here|:\/\/|:tada:|\*b\*|#general/);
    expect(message.text).toContain('&lt;!channel&gt;');
  }
});

test('a URL cannot end its link; a URL that is too long is left out', () => {
  const odd = chatOneMessage(failure({ dashboardUrl: 'https://a.example/x|y> <!channel>&z' }));
  expect(textsOf(odd, 'mrkdwn').at(-1)).toBe(
    '<https://a.example/x%7Cy%3E%20%3C!channel%3E&amp;z|Open the event in the dashboard>',
  );
  const long = chatOneMessage(failure({ dashboardUrl: `https://a.example/${'x'.repeat(5000)}` }));
  expectSlackLimits(long);
  expect(JSON.stringify(long)).not.toContain('a.example');
});
