import { afterEach, expect, test } from 'vitest';
import { useForAll } from '../use.ts';
import { discordRateLimited, startDiscord } from './discord.ts';
import { post } from './post.ts';

const service = useForAll(startDiscord, (opened) => opened.close());
afterEach(() => {
  for (const list of [service.messages, service.violations, service.mentions]) list.length = 0;
});

const embeds = (...list: object[]) => ({ embeds: list });
const fields = (...list: object[]) => embeds({ fields: list });
const field = { name: 'name', value: 'value', inline: true };
const x = (length: number) => 'x'.repeat(length);

test.each<[string, object]>([
  // https://docs.discord.com/developers/resources/webhook and #message-object, in their words.
  ['a text', { content: 'Hello, World!' }],
  [
    'an embed',
    { content: 'Hello, World!', embeds: [{ title: 'Hello, Embed!', description: 'This is an embedded message.' }] },
  ],
  ['allowed mentions', { content: '@everyone hi', allowed_mentions: { parse: [] } }],
  [
    'everything at its limit',
    {
      content: '😀'.repeat(2000),
      embeds: [
        {
          ...{ title: x(256), description: x(4096), url: 'http://127.0.0.1:8080/dashboard', color: 0xff0000 },
          ...{ timestamp: '2026-11-21T15:00:00.000Z', footer: { text: x(100) }, author: { name: x(256) } },
          fields: [...Array.from({ length: 24 }, () => ({ name: 'n', value: 'v' })), { name: x(220), value: x(1024) }],
        },
      ],
    },
  ],
])('accepts %s', async (_, message) => {
  const answer = await post(service.url, message);
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect([service.violations, service.messages, service.mentions]).toEqual([[], [message], []]);
});

test('returns the message with wait=true', async () => {
  const answer = await post(`${service.url}?wait=true`, { content: 'Hello, World!' });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toMatchObject({ id: expect.any(String), content: 'Hello, World!' });
});

test.each<[string, unknown]>([
  ['a long content', { content: x(2001) }],
  ['eleven embeds', embeds(...Array.from({ length: 11 }, () => ({ title: 'a' })))],
  ['a long title', embeds({ title: x(257) })],
  ['a long description', embeds({ description: x(4097) })],
  ['26 fields', fields(...Array.from({ length: 26 }, () => field))],
  ['a field without a name', fields({ value: 'value' })],
  ['an empty name', fields({ ...field, name: '' })],
  ['a value of spaces', fields({ ...field, value: ' \n ' })],
  ['a long name', fields({ ...field, name: x(257) })],
  ['a long value', fields({ ...field, value: x(1025) })],
  ['a long footer', embeds({ footer: { text: x(2049) } })],
  ['a long author', embeds({ author: { name: x(257) } })],
  ['too many characters in total', embeds({ description: x(4000) }, { description: x(2001) })],
  ['a colour with a hash', embeds({ color: '#ff0000' })],
  ['an invalid time', embeds({ timestamp: 'yesterday' })],
  ['an invalid link', embeds({ url: '/dashboard' })],
  ['a link to a host without a dot', embeds({ url: 'http://localhost:8080/dashboard' })],
  ['an unknown field', { text: 'Hello, World!' }],
  ['an unknown kind of mention', { content: 'a', allowed_mentions: { parse: ['all'] } }],
])('refuses %s as Discord does', async (_, message) => {
  const answer = await post(service.url, message);
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text)).toMatchObject({ code: 50035, message: 'Invalid Form Body' });
  expect(service.violations).toHaveLength(1);
  expect(service.messages).toEqual([]);
});

test('reports the place of each error', async () => {
  const { text } = await post(service.url, { content: x(2001), ...fields(field, { ...field, value: x(1025) }) });
  const found = (message: string) => ({ _errors: [{ code: 'BASE_TYPE_INVALID', message }] });
  expect(JSON.parse(text).errors).toEqual({
    content: found('must NOT have more than 2000 characters'),
    embeds: { 0: { fields: { 1: { value: found('must NOT have more than 1024 characters') } } } },
  });
});

test.each<[string, unknown, number]>([
  ['no JSON', '{', 50109],
  ['half a character', { content: '\ud83d' }, 50109],
  ['nothing', {}, 50006],
  ['spaces', { content: '  ', embeds: [] }, 50006],
])('refuses %s', async (_, message, code) => {
  const answer = await post(service.url, message);
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([400, code]);
  expect(service.violations).toHaveLength(1);
});

test('answers 404 for a webhook that was removed', async () => {
  const answer = await post(`${service.origin}/api/webhooks/1/gone`, { content: 'a' });
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([404, 10015]);
});

test('records mentions, unless they are forbidden or in an embed', async () => {
  const content = '@here <@80351110224678912> <@&165511591545143296>';
  await post(service.url, { content, allowed_mentions: { parse: [] }, ...embeds({ description: content }) });
  expect(service.mentions).toEqual([]);
  await post(service.url, { content });
  await post(service.url, { content, allowed_mentions: { users: ['80351110224678912'] } });
  expect(service.mentions).toEqual([...content.split(' '), '<@80351110224678912>']);
});

test('answers a rate limit with a delay in milliseconds', async () => {
  service.faults = [discordRateLimited(0.3)];
  const answer = await post(service.url, { content: 'a' });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
  expect(JSON.parse(answer.text)).toEqual({ message: 'You are being rate limited.', retry_after: 0.3, global: false });
});
