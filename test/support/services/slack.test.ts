import { afterEach, expect, test } from 'vitest';
import { useForAll } from '../use.ts';
import { post } from './post.ts';
import { slackRateLimited, startSlack } from './slack.ts';

const service = useForAll(startSlack, (opened) => opened.close());
afterEach(() => {
  for (const list of [service.messages, service.violations, service.commands]) list.length = 0;
});

const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const plain = (text: string) => ({ type: 'plain_text', text });
const section = (fields: object) => ({ type: 'section', ...fields });
const header = (text: string) => ({ type: 'header', text: plain(text) });
const button = { type: 'button', text: { ...plain('Farmhouse'), emoji: true }, value: 'click_me_123', action_id: 'a' };

/** After the example of https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks. */
const published = {
  text: 'Danny Torrence left a 1 star review for your property.',
  blocks: [
    section({ text: mrkdwn('Danny Torrence left the following review for your property:') }),
    section({
      block_id: 'section567',
      text: mrkdwn('<https://example.com|Overlook Hotel> \n :star: \n Doors had too many axe holes.'),
    }),
    section({ block_id: 'section789', fields: [mrkdwn('*Average Rating*\n1.0')] }),
  ],
};

test.each<[string, object]>([
  ['a text', { text: 'Hello, world.' }],
  ['the published example', published],
  [
    'every block',
    {
      text: 'all',
      blocks: [
        header('x'.repeat(150)),
        section({ fields: Array.from({ length: 10 }, () => plain('x'.repeat(2000))) }),
        section({ text: mrkdwn('😀'.repeat(3000)) }),
        { type: 'divider' },
        { type: 'context', elements: Array.from({ length: 10 }, () => mrkdwn('now')) },
        { type: 'actions', elements: [button, { ...button, url: 'http://127.0.0.1:8080/dashboard', style: 'danger' }] },
      ],
    },
  ],
])('accepts %s', async (_, message) => {
  const answer = await post(service.url, message);
  expect([answer.status, answer.text]).toEqual([200, 'ok']);
  expect([service.violations, service.messages]).toEqual([[], [message]]);
});

const blocks = (...list: object[]) => ({ text: 'fallback', blocks: list });

test.each<[string, unknown, string]>([
  ['no JSON', '{text}', 'invalid_payload'],
  ['a form', 'payload={"text":"a"}', 'invalid_payload'],
  ['half a character', { text: '\ud83d' }, 'invalid_payload'],
  ['a list', [], 'invalid_payload'],
  ['no text', {}, 'no_text'],
  ['an empty text', { text: '' }, 'no_text'],
  ['blocks without a fallback', { blocks: published.blocks }, 'no_text'],
  ['a text that is a number', { text: 1 }, 'invalid_payload'],
  ['links by name', { text: 'all', link_names: true }, 'invalid_payload'],
  ['a long header', blocks(header('x'.repeat(151))), 'invalid_blocks'],
  ['an empty header', blocks(header('')), 'invalid_blocks'],
  ['a formatted header', blocks({ type: 'header', text: mrkdwn('a') }), 'invalid_blocks'],
  ['a long text', blocks(section({ text: mrkdwn('x'.repeat(3001)) })), 'invalid_blocks'],
  ['an empty section', blocks(section({})), 'invalid_blocks'],
  ['an empty text in a section', blocks(section({ text: mrkdwn('') })), 'invalid_blocks'],
  ['emoji in mrkdwn', blocks(section({ text: { ...mrkdwn('a'), emoji: true } })), 'invalid_blocks'],
  ['eleven fields', blocks(section({ fields: Array.from({ length: 11 }, () => plain('x')) })), 'invalid_blocks'],
  ['a long field', blocks(section({ fields: [plain('x'.repeat(2001))] })), 'invalid_blocks'],
  ['eleven elements', blocks({ type: 'context', elements: Array(11).fill(mrkdwn('x')) }), 'invalid_blocks'],
  [
    'a button with a long label',
    blocks({ type: 'actions', elements: [{ ...button, text: plain('x'.repeat(76)) }] }),
    'invalid_blocks',
  ],
  ['a button to nowhere', blocks({ type: 'actions', elements: [{ ...button, url: '/dashboard' }] }), 'invalid_blocks'],
  ['51 blocks', blocks(...Array.from({ length: 51 }, () => ({ type: 'divider' }))), 'invalid_blocks'],
  ['an unknown block', blocks({ type: 'rich' }), 'invalid_blocks'],
  ['an unknown field of a block', blocks(section({ text: plain('a'), title: 'b' })), 'invalid_blocks'],
])('refuses %s as Slack does', async (_, message, code) => {
  const answer = await post(service.url, message);
  expect([answer.status, answer.text]).toEqual([400, code]);
  expect(service.violations).toHaveLength(1);
  expect(service.messages).toEqual([]);
});

test('refuses a webhook that was removed, and another content type', async () => {
  const gone = await post(`${service.origin}/services/T0/B0/gone`, { text: 'a' });
  expect([gone.status, gone.text]).toEqual([404, 'no_service']);
  const form = await post(service.url, { text: 'a' }, { 'content-type': 'application/x-www-form-urlencoded' });
  expect([form.status, form.text]).toEqual([400, 'invalid_payload']);
  expect(service.violations).toHaveLength(2);
});

test('records unescaped mentions in texts that Slack formats', async () => {
  await post(service.url, { text: 'fine: &lt;!channel&gt; <https://example.com|link>', blocks: [header('<!here>')] });
  expect(service.commands).toEqual([]);
  await post(service.url, { text: '<!channel>', blocks: [section({ fields: [mrkdwn('a <@U024BE7LH> b')] })] });
  expect(service.commands).toEqual(['<!channel>', '<@U024BE7LH>']);
});

test('answers a rate limit with Retry-After', async () => {
  service.faults = [slackRateLimited(3)];
  const answer = await post(service.url, published);
  expect([answer.status, answer.headers.get('retry-after'), service.messages]).toEqual([429, '3', []]);
  expect((await post(service.url, published)).status).toBe(200);
});
