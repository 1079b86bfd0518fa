import { expect, test } from 'vitest';
import { chatTwoMessage } from '../../../src/notifications/messages/chat-two-message.ts';
import { expectDiscordLimits, expectReadable } from './limits.ts';
import { failure, hardValues, listed, noticesWith, stringsIn, summary } from './support.ts';

const url = 'https://hooks.example.com/dashboard/events/0198f3a2-7c41-7d2e-9a53-5f1c2b7e8d90';

test('the message of a failed event has its fields, its error and a link', () => {
  const message = chatTwoMessage(failure({ error: 'HTTP 503\nover_loaded' }));
  expect(message.content).toBe('Delivery failed: order.paid (shop)');
  expect(message.allowed_mentions).toEqual({ parse: [] });
  const [embed] = message.embeds;
  expect(embed).toMatchObject({ title: 'Delivery failed', url, timestamp: '2026-11-21T15:33:16.120Z' });
  expect(embed.color).toBeGreaterThan(0);
  expect(embed.description).toContain(`[Open the event in the dashboard](${url})`);
  expect(embed.fields.map(({ name, value }) => [name, value])).toEqual([
    ['Event type', 'order.paid'],
    ['Provider', 'generic'],
    ['Account', 'shop'],
    ['Event id', '0198f3a2-7c41-7d2e-9a53-5f1c2b7e8d90'],
    ['Failed at', '2026-11-21 15\\:33\\:16 UTC'],
    ['Attempts', '10'],
    ['Error', 'HTTP 503\nover\\_loaded'],
  ]);
});

test('the message of a summary has its first events and a link to all', () => {
  const [embed] = chatTwoMessage(summary()).embeds;
  expect(embed.title).toBe('12 more events exhausted');
  expect(embed.timestamp).toBe('2026-11-21T15:33:16.000Z');
  expect(embed.description).toContain(
    '(https://hooks.example.com/dashboard/events?provider=generic&account_slug=shop)',
  );
  expect(embed.fields.map(({ name, value }) => [name, value])).toEqual([
    ['order.paid', `HTTP 503\n[Open the event in the dashboard](${url})`],
    ['no type', `HTTP 503\n[Open the event in the dashboard](${url})`],
  ]);
});

test('a test message says that nothing has failed', () => {
  const { content, embeds } = chatTwoMessage(failure({ sample: true }));
  expect(content).toContain('Nothing has failed');
  expect(embeds[0].title).toBe('Test: nothing has failed');
  expect(embeds[0].description).toContain('Nothing has failed');
  expect(embeds[0].color).not.toBe(chatTwoMessage(failure()).embeds[0].color);
});

test.each(hardValues)('%s in every value: limits hold', (_, value) => {
  for (const notice of noticesWith(value)) {
    const message = chatTwoMessage(notice);
    expectDiscordLimits(message);
    expectReadable(message);
  }
});

test('long links and long entries together keep the limits', () => {
  const longUrl = `https://a.example/${'x'.repeat(500)}`;
  const first = Array(30).fill(listed({ event_type: '*'.repeat(300), error: '*'.repeat(900), dashboardUrl: longUrl }));
  const message = chatTwoMessage(summary({ first, dashboardUrl: longUrl }));
  expectDiscordLimits(message);
  expect(message.embeds[0].fields.length).toBeGreaterThan(2);
  const longest = `https://a.example/${'x'.repeat(1900)}`;
  for (const notice of noticesWith('*'.repeat(1000))) {
    const { embeds } = chatTwoMessage({ ...notice, dashboardUrl: longest });
    expect(embeds[0].description).toContain(longest);
    expectDiscordLimits(chatTwoMessage({ ...notice, dashboardUrl: longest }));
  }
});

test.each([
  ['@everyone', '\\@everyone'],
  ['<@123> <#1>', '\\<\\@123\\> \\<\\#1\\>'],
  ['[x](http://evil)', '\\[x\\](http\\://evil)'],
  ['**b** __u__ ~~s~~ ||p||', '\\*\\*b\\*\\* \\_\\_u\\_\\_ \\~\\~s\\~\\~ \\|\\|p\\|\\|'],
  ['`code` \\*', '\\`code\\` \\\\\\*'],
  [':tada:\n# a\n> b\n- c\n + d\n-# e\n12. f', '\\:tada:\n\\# a\n\\> b\n\\- c\n \\+ d\n\\-\\# e\n12\\. f'],
  ['v1.2-3 a: b', 'v1.2-3 a: b'],
])('%j of an event is written %j', (value, expected) => {
  const { fields } = chatTwoMessage(failure({ error: value })).embeds[0];
  expect(fields.at(-1)?.value).toBe(expected);
});

test('all values of an event are escaped', () => {
  const marks = '@everyone <@1> [x](http://evil) *b*';
  for (const notice of noticesWith(marks))
    for (const text of stringsIn(chatTwoMessage(notice))) expect(text).not.toMatch(/(?<!\\)(?:[@*<]|\[x|:\/\/evil)/);
});

// Discord answers 400 to the whole message when the host of a URL in an embed is a name without a dot.
test.each(['http://gateway:8080', 'http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080', 'nonsense'])(
  'a dashboard at %s is linked in the text only',
  (base) => {
    const [embed] = chatTwoMessage(failure({ dashboardUrl: `${base}/dashboard/events/1` })).embeds;
    expect(embed).not.toHaveProperty('url');
    expect(embed.description).toContain(`(${base}/dashboard/events/1)`);
  },
);

test('a URL cannot end its link; a URL that is too long is left out', () => {
  const odd = chatTwoMessage(failure({ dashboardUrl: 'https://a.example/x) @everyone' }));
  expect(odd.embeds[0].description).toContain('(https://a.example/x%29%20@everyone)');
  const long = chatTwoMessage(failure({ dashboardUrl: `https://a.example/${'x'.repeat(5000)}` }));
  expectDiscordLimits(long);
  expect(JSON.stringify(long)).not.toContain('a.example');
});
