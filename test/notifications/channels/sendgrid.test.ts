import { describe, expect, test } from 'vitest';
import { emailMessage } from '../../../src/notifications/messages/email-message.ts';
import { version } from '../../../src/shared/version.ts';
import { consumer } from '../../delivery/servers.ts';
import { apiKey, channels, failure, headersOf, mailTo, sendgridAt, summary } from './support.ts';

async function sendgrid(status = 202, answer = '') {
  const { port, seen } = await consumer((response) => response.writeHead(status).end(answer));
  const body = () => JSON.parse(String(seen[0]?.body));
  return { send: channels({ mail: sendgridAt(`http://127.0.0.1:${port}`) }), seen, body, port };
}
const payload = (bytes: Uint8Array, contentType: string | null = 'application/json') => ({
  payload: { body: bytes, contentType },
});

test.each([failure(), summary])('the request of a $kind has the documented form', async (notice) => {
  const { send, seen, body } = await sendgrid();
  expect(await send(mailTo(['a@ops.test', 'B@ops.test']), notice)).toEqual({
    ...{ ok: true, responseCode: 202, responseBody: '', durationMs: expect.any(Number), outboxFile: null },
  });
  const [request, ...more] = seen;
  expect(more).toEqual([]);
  expect([request?.method, request?.path]).toEqual(['POST', '/v3/mail/send']);
  expect(headersOf(request)).toEqual({
    ...{ host: expect.any(String), connection: expect.any(String) },
    ...{ 'content-type': 'application/json', 'content-length': String(request?.body.length) },
    ...{ accept: 'application/json', authorization: `Bearer ${apiKey}`, 'user-agent': `webhook-gateway/${version}` },
  });
  const { subject, text, html } = emailMessage(notice, { includePayload: false });
  expect(body()).toEqual({
    from: { email: 'gateway@gateway.test', name: 'Webhook gateway' },
    personalizations: [{ to: [{ email: 'a@ops.test' }, { email: 'B@ops.test' }] }],
    subject,
    content: [
      { type: 'text/plain', value: text },
      { type: 'text/html', value: html },
    ],
    custom_args: { notification_id: notice.id },
    headers: { 'X-Notification-Id': notice.id },
    categories: ['webhook-gateway'],
    tracking_settings: {
      click_tracking: { enable: false, enable_text: false },
      open_tracking: { enable: false },
    },
  });
});

test('each address is listed once, regardless of letter case', async () => {
  const { send, body } = await sendgrid();
  await send(mailTo(['A@ops.test', 'b@ops.test', 'a@OPS.test', 'b@ops.test']), failure());
  expect(body().personalizations).toEqual([{ to: [{ email: 'A@ops.test' }, { email: 'b@ops.test' }] }]);
});

test('a payload is attached byte for byte', async () => {
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, n) => (n * 7) % 256));
  const notice = failure(payload(bytes, 'application/octet-stream'));
  const { send, body } = await sendgrid();
  await send(mailTo(['a@ops.test'], true), notice);
  const [attachment, ...more] = body().attachments;
  expect(more).toEqual([]);
  expect(Object.keys(attachment).sort()).toEqual(['content', 'disposition', 'filename', 'type']);
  expect(attachment).toMatchObject({ disposition: 'attachment', type: 'application/octet-stream' });
  expect(attachment.filename).toMatch(/^[\w.-]+$/);
  expect(Buffer.from(attachment.content, 'base64').equals(bytes)).toBe(true);
});

test('a payload that the destination does not ask for is not attached', async () => {
  const { send, body } = await sendgrid();
  await send(mailTo(['a@ops.test'], false), failure(payload(Buffer.alloc(100_000))));
  expect(body()).not.toHaveProperty('attachments');
});

test.each([
  'text/plain; charset=utf-8',
  'a/b\r\nX-Injected: 1',
  'message/rfc822',
  'multipart/mixed; boundary=x',
  '',
  ';',
])('the content type %j of a webhook becomes an attachment type that SendGrid accepts', async (contentType) => {
  const { send, body } = await sendgrid();
  await send(mailTo(['a@ops.test'], true), failure(payload(Buffer.alloc(100_000, 'x'), contentType)));
  expect(body().attachments[0].type).toMatch(/^(?!message|multipart)[a-z]+\/[a-z.+-]+$/);
});

test('values of events arrive unchanged: SendGrid substitutes nothing and applies no template', async () => {
  const event_type = '{{secret}} -name- %name% <%body%> [unsubscribe] orderPaid order-paid 😀 \\u0000 $& $1';
  const notice = failure({ error: event_type, id: 'orderPaid-x_y {{a}}' }, { event_type });
  const { send, body } = await sendgrid();
  expect(await send(mailTo(['a@ops.test']), notice)).toMatchObject({ ok: true });
  const { subject, text, html } = emailMessage(notice, { includePayload: false });
  expect(body().subject).toBe(subject);
  expect(body().content.map(({ value }: { value: string }) => value)).toEqual([text, html]);
  expect(body().custom_args).toEqual({ notification_id: notice.id });
  expect(Object.keys(body()).sort()).not.toContain('sections');
  expect(body().personalizations).toEqual([{ to: [{ email: 'a@ops.test' }] }]);
});

describe('the error of an answer', () => {
  test('contains the messages of SendGrid', async () => {
    const errors = [
      { message: 'The from address does not match a verified Sender Identity.', field: 'from', help: null },
      { message: `The key ${apiKey} has no permission.`, field: null, help: null },
    ];
    const { send, port } = await sendgrid(403, JSON.stringify({ errors }));
    expect(await send(mailTo(['a@ops.test']), failure())).toMatchObject({
      ...{ ok: false, outcome: 'http_error', responseCode: 403, permanent: false },
      error: `127.0.0.1:${port} answered 403 Forbidden: The from address does not match a verified Sender Identity.; The key [masked] has no permission.`,
      responseBody: JSON.stringify({ errors }).replace(apiKey, '[masked]'),
    });
  });
  test.each(['{"errors":[]}', '{"errors":"no"}', '<html>', '{"errors":[{"message":1}]}'])(
    'is %s unchanged, if it has another form',
    async (answer) => {
      const { send, port } = await sendgrid(500, answer);
      expect(await send(mailTo(['a@ops.test']), failure())).toMatchObject({
        error: `127.0.0.1:${port} answered 500 Internal Server Error: ${answer}`,
      });
    },
  );
});

test('concurrent messages do not mix', async () => {
  const { send, seen } = await sendgrid();
  const all = Array.from({ length: 20 }, (_, n) => n);
  await Promise.all(all.map((n) => send(mailTo([`p${n}@ops.test`]), failure({ id: `n-${n}` }))));
  const pairs = seen.map(({ body }) => {
    const { personalizations, custom_args } = JSON.parse(String(body));
    return `${personalizations[0].to[0].email} ${custom_args.notification_id}`;
  });
  expect(pairs.sort()).toEqual(all.map((n) => `p${n}@ops.test n-${n}`).sort());
});
