import { afterEach, expect, test } from 'vitest';
import { hang } from '../replies.ts';
import { until } from '../until.ts';
import { useForAll } from '../use.ts';
import { post } from './post.ts';
import { sendGridPath, sendGridRateLimited, sendGridRevoked, startSendGrid } from './sendgrid.ts';

const service = useForAll(startSendGrid, (opened) => opened.close());
afterEach(() => {
  for (const list of [service.requests, service.messages, service.violations, service.faults]) list.length = 0;
  service.outage = null;
});

const send = (body: unknown, headers: Record<string, string> = { authorization: `Bearer ${service.apiKey}` }) =>
  post(`${service.origin}${sendGridPath}`, body, headers);

/** The example of https://www.twilio.com/docs/sendgrid/for-developers/sending-email/api-getting-started. */
const published = {
  personalizations: [{ to: [{ email: 'john.doe@example.com', name: 'John Doe' }], subject: 'Hello, World!' }],
  content: [{ type: 'text/plain', value: 'Heya!' }],
  from: { email: 'sam.smith@example.com', name: 'Sam Smith' },
  reply_to: { email: 'sam.smith@example.com', name: 'Sam Smith' },
  subject: 'Hello, World!',
};
const html = { type: 'text/html', value: '<p>Heya!</p>' };
const attachment = { content: 'aGVsbG8=', filename: 'a.txt', type: 'text/plain', disposition: 'attachment' };
const to = (...emails: string[]) => [{ to: emails.map((email) => ({ email })) }];
const recipients = (count: number) => to(...Array.from({ length: count }, (_, n) => `person-${n}@example.com`));

test.each<[string, object]>([
  ['the published example', {}],
  ['text and HTML', { content: [...published.content, html] }],
  ['an attachment', { attachments: [attachment] }],
  [
    'custom arguments and headers',
    { custom_args: { event: '1' }, headers: { 'X-Event': 'one', 'Message-ID': '<a@b>' } },
  ],
  ['settings', { tracking_settings: { click_tracking: { enable: false, enable_text: false } } }],
  ['a thousand recipients', { personalizations: recipients(1000) }],
])('accepts %s', async (_, change) => {
  const answer = await send({ ...published, ...change });
  expect([answer.status, answer.text]).toEqual([202, '']);
  expect(answer.headers.get('x-message-id')).toMatch(/./);
  expect(service.violations).toEqual([]);
  expect(service.messages).toEqual([{ ...published, ...change }]);
});

test.each<[string, object]>([
  ['no recipients', { personalizations: [] }],
  ['a personalization without a recipient', { personalizations: [{ to: [] }] }],
  ['1001 recipients', { personalizations: recipients(1001) }],
  ['an address twice', { personalizations: to('a@example.com', 'A@example.com') }],
  ['an address in to and cc', { personalizations: [{ to: [{ email: 'a@b.test' }], cc: [{ email: 'a@b.test' }] }] }],
  ['no address', { personalizations: to('nobody') }],
  ['a sender that is a text', { from: 'sam.smith@example.com' }],
  ['an empty subject', { subject: '' }],
  ['a subject of two lines', { subject: 'one\r\nBcc: all@example.com' }],
  ['no content', { content: [] }],
  ['an empty text', { content: [{ type: 'text/plain', value: '' }] }],
  ['HTML before text', { content: [html, ...published.content] }],
  ['two texts', { content: [...published.content, ...published.content] }],
  ['an empty attachment', { attachments: [{ ...attachment, content: '' }] }],
  ['an attachment that is not base64', { attachments: [{ ...attachment, content: 'héllo' }] }],
  ['an attachment without a name', { attachments: [{ content: 'aGVsbG8=' }] }],
  ['a content type with parameters', { attachments: [{ ...attachment, type: 'text/plain; charset=utf-8' }] }],
  ['custom arguments that are numbers', { custom_args: { attempts: 10 } }],
  ['too many custom arguments', { custom_args: { text: 'x'.repeat(10_000) } }],
  ['a reserved header', { headers: { 'reply-To': 'a@b.test' } }],
  ['a header of two lines', { headers: { 'X-Event': 'a\r\nBcc: b@c.test' } }],
  ['an unknown field', { contents: [] }],
  ['eleven categories', { categories: Array.from({ length: 11 }, (_, n) => `c${n}`) }],
])('refuses %s as SendGrid does', async (_, change) => {
  const answer = await send({ ...published, ...change });
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text)).toEqual({
    errors: [{ message: expect.any(String), field: expect.toSatisfy(isText), help: null }],
  });
  expect(service.violations).toHaveLength(1);
  expect(service.messages).toEqual([]);
});

const isText = (value: unknown) => value === null || typeof value === 'string';

test('refuses invalid JSON, half a character, another path and another key', async () => {
  expect((await send('{')).status).toBe(400);
  expect((await send({ ...published, subject: 'half \ud83d' })).status).toBe(400);
  expect((await send(published, { authorization: 'Bearer wrong' })).status).toBe(401);
  expect((await send(published, {})).status).toBe(401);
  const authorization = `Bearer ${service.apiKey}`;
  expect((await send(published, { authorization, 'content-type': 'text/plain' })).status).toBe(400);
  expect((await post(`${service.origin}/v3/v3/mail/send`, published, { authorization })).status).toBe(404);
  expect(service.violations).toHaveLength(6);
  expect(service.messages).toEqual([]);
});

test('refuses 30 MB', async () => {
  const content = Buffer.alloc(23 * 1024 * 1024).toString('base64');
  expect((await send({ ...published, attachments: [{ ...attachment, content }] })).status).toBe(413);
});

test('answers with faults first, in SendGrid’s form, and validates those requests too', async () => {
  service.faults = [sendGridRateLimited(7), sendGridRevoked, 500];
  const answers = [await send(published), await send({}), await send(published), await send(published)];
  expect(answers.map(({ status }) => status)).toEqual([429, 401, 500, 202]);
  expect(answers[0]?.headers.get('retry-after')).toBe('7');
  expect(JSON.parse(answers[0]?.text ?? '').errors[0].message).toBe('too many requests');
  expect(service.violations).toHaveLength(1);
  expect(service.messages).toEqual([published]);
});

test('an outage lasts until the test ends it', async () => {
  service.outage = 503;
  expect((await send(published)).status).toBe(503);
  expect((await send(published)).status).toBe(503);
  service.outage = null;
  service.faults = [hang];
  const hanging = send(published).catch((error: unknown) => error);
  await until('the third request has arrived', () => service.requests.length === 3);
  service.hangUp();
  expect(await hanging).toBeInstanceOf(TypeError);
  expect((await send(published)).status).toBe(202);
});
