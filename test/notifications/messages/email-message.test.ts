import escapeHtml from 'escape-html';
import { expect, test } from 'vitest';
import { emailMessage } from '../../../src/notifications/messages/email-message.ts';
import { expectReadable, expectSoundEmail } from './limits.ts';
import { failure, hardValues, listed, noticesWith, summary } from './support.ts';

const plain = { includePayload: false };
const url = 'https://hooks.example.com/dashboard/events/0198f3a2-7c41-7d2e-9a53-5f1c2b7e8d90';

test('the message of a failed event has its fields, its error and a link', () => {
  const { subject, text, html, attachment } = emailMessage(failure({ error: 'HTTP 503\noverloaded' }), plain);
  expect(subject).toBe('Delivery failed: order.paid (shop)');
  expect(attachment).toBe(null);
  expect(text).toBe(`Delivery failed

This event is exhausted: it could not be delivered, and no further attempts will be made. It can be replayed from the dashboard.

Event type:  order.paid
Provider:    generic
Account:     shop
Event id:    0198f3a2-7c41-7d2e-9a53-5f1c2b7e8d90
Failed at:   2026-11-21 15:33:16 UTC
Attempts:    10

Error:
  HTTP 503
  overloaded

Open the event in the dashboard:
${url}

You get this because your address is in a destination of the account shop (generic).
`);
  for (const line of text.split('\n').filter((line) => line !== '' && !line.includes(': ')))
    expect(html).toContain(line.trim().replace(/:$/, ''));
  expect(html).toContain(`href="${url}"`);
});

test('the message of a summary has its first events and a link to all', () => {
  const { subject, text, html, attachment } = emailMessage(summary(), { includePayload: true });
  expect(subject).toBe('12 more events exhausted (shop)');
  expect(attachment).toBe(null);
  const said =
    '12 more events of shop (generic) were exhausted between 2026-11-21 15:20:00 UTC and 2026-11-21 15:33:16 UTC. Here are the first of them.';
  const list = 'https://hooks.example.com/dashboard/events?provider=generic&account_slug=shop';
  expect(text).toContain(`${said}\n\n* order.paid: HTTP 503\n  ${url}\n\n* no type: HTTP 503\n  ${url}\n\n`);
  expect(text).toContain(`Open the list in the dashboard:\n${list}\n`);
  expect(html).toContain(said);
  expect(html).toContain(`href="${escapeHtml(list)}"`);
  expect(html.split(`href="${url}"`)).toHaveLength(3);
});

test.each([
  [{ events: 1 }, '1 more event exhausted (shop)', /1 more event of shop \(generic\) was exhausted between/],
  [{ events: 2 }, '2 more events exhausted (shop)', /2 more events of shop \(generic\) were exhausted between/],
  [{ events: 0 }, '0 more events exhausted (shop)', /0 more events of shop \(generic\) were exhausted between/],
  [{ until: summary().since }, '12 more events exhausted (shop)', /were exhausted at 2026-11-21 15:20:00 UTC\./],
])('a summary with %o has the right singular or plural', (changes, subject, said) => {
  const message = emailMessage(summary(changes), plain);
  expect(message.subject).toBe(subject);
  expect(message.text).toMatch(said);
});

test('URLs are escaped like other values', () => {
  const odd = `https://a.example/?a=1&lt=2'"><b>`;
  const shown = 'https://a.example/?a=1&amp;lt=2&#39;%22%3E%3Cb%3E';
  const one = emailMessage(failure({ dashboardUrl: odd }), plain);
  expect(one.html.split(`href="${shown}"`)).toHaveLength(3);
  const many = emailMessage(summary({ first: [listed({ dashboardUrl: odd })] }), plain);
  expect(many.html).toContain(`href="${shown}"`);
});

test('a summary mentions further events only if there are any', () => {
  const more = 'the first of them';
  expect(emailMessage(summary({ events: 3 }), plain).text).toContain(more);
  expect(emailMessage(summary({ events: 2 }), plain).text).not.toContain(more);
  expect(emailMessage(summary({ first: [] }), plain).text).not.toContain(more);
  const many = emailMessage(summary({ events: 30, first: Array(30).fill(listed()) }), plain);
  expect(many.text.split('* order.paid')).toHaveLength(11);
});

test('a test message says in subject and text that nothing has failed', () => {
  const { subject, text, html } = emailMessage(failure({ sample: true }), plain);
  expect(subject).toBe('[Test] Nothing has failed: order.paid (shop)');
  for (const body of [text, html]) {
    expect(body).toContain('Test: nothing has failed');
    expect(body).toContain('This is a test of this destination. Nothing has failed');
    expect(body).not.toContain('could not be delivered');
  }
});

test('the message says when an event has no type or no error', () => {
  const { subject, text } = emailMessage(failure({ error: '' }, { event_type: null }), plain);
  expect(subject).toBe('Delivery failed: no type (shop)');
  expect(text).toMatch(/Event type: +no type\n/);
  expect(text).toContain('Error:\n  no error message\n');
});

test('a subject is one line, and long names are cut so that each is visible', () => {
  const attack = 'a\r\nBcc: x@example.com\u0000\u2028b';
  expect(emailMessage(failure({}, { event_type: attack }), plain).subject).toBe(
    'Delivery failed: a Bcc: x@example.com␀ b (shop)',
  );
  const long = emailMessage(
    failure({ sample: true }, { event_type: 't'.repeat(255), account_slug: 's'.repeat(100) }),
    plain,
  );
  expect(long.subject).toBe(`[Test] Nothing has failed: ${'t'.repeat(79)}… (${'s'.repeat(79)}…)`);
});

test.each(hardValues)('%s in every value: the message stays valid', (_, value) => {
  for (const notice of noticesWith(value)) {
    const message = emailMessage(notice, { includePayload: true });
    expectSoundEmail(message);
    expectReadable(message);
    // Most of it is the payload of 20 KiB, with each line indented.
    expect(message.text.length).toBeLessThan(60_000);
  }
});

test('markup in any value is shown as text', () => {
  const markup = `"><script>alert('1')</script><img src=x onerror=alert(1)>&amp;`;
  for (const notice of noticesWith(markup)) {
    const message = emailMessage({ ...notice, dashboardUrl: `https://a.example/${markup}` }, { includePayload: true });
    expect(message.html).not.toMatch(/<script|<img|&amp;amp;lt|onerror="/);
    expect(message.html).toContain(escapeHtml(markup));
    expectSoundEmail(message);
  }
});

test('values from outside are indented in the plain text, so that they cannot imitate the gateway’s own text', () => {
  const { text } = emailMessage(
    failure({ error: 'x\n\nOpen the event in the dashboard:\nhttp://evil.example' }),
    plain,
  );
  expect(text).toContain('\n  Open the event in the dashboard:\n  http://evil.example\n');
  expect(text.match(/^Open the event/gm)).toHaveLength(1);
});

test('an error of thousands of characters is cut', () => {
  const { text, html } = emailMessage(failure({ error: 'e'.repeat(100_000) }), plain);
  expect(text).toContain(`${'e'.repeat(3999)}…`);
  expect(html.length).toBeLessThan(20_000);
});
