import escapeHtml from 'escape-html';
import { describe, expect, test } from 'vitest';
import { emailMessage } from '../../../src/notifications/messages/email-message.ts';
import { failure, utf8 } from './support.ts';

const mailWith = (body: Uint8Array, contentType: string | null = null, includePayload = true) =>
  emailMessage(failure({ payload: { body, contentType } }), { includePayload });
const shownBytes = 20 * 1024;

describe('a payload that the destination asks for', () => {
  test.each([
    ['{"a":"<b>"}', 'payload.json', 'application/json'],
    ['[1]', 'payload.json', 'application/json'],
    ['{"a":', 'payload.txt', 'text/plain'],
    ['a=1&b=<2>', 'payload.txt', 'text/plain'],
  ])('%s is shown completely and attached as %s', (text, filename, type) => {
    const body = utf8(text);
    const mail = mailWith(body, 'application/x-anything');
    expect(mail.attachment).toEqual({ filename, type, content: body });
    expect(mail.text).toContain(`Payload: ${body.length} bytes of application/x-anything. `);
    expect(mail.text).toContain(`The whole of it is attached as ${filename}.\n\n  ${text}\n`);
    expect(mail.html).toContain(`>${escapeHtml(text)}</pre>`);
  });

  test('keeps its lines, and its control characters are made visible', () => {
    const mail = mailWith(utf8('a\r\n\tb\u0000\u001B\u202E'));
    expect(mail.text).toContain('\n  a\n  \tb␀␛\uFFFD\n');
    expect(mail.html).toContain('>a\n\tb␀␛\uFFFD</pre>');
  });

  test('is attached with a safe type, and its declared type is shown as text', () => {
    const mail = mailWith(utf8('{}'), `text/<b>\r\nEvil: ${'x'.repeat(500)}`);
    expect(mail.text).toMatch(/^Payload: 2 bytes of text\/<b> Evil: x+…\. /m);
    expect(mail.html).not.toContain('<b>');
    expect(mail.attachment?.type).toBe('application/json');
  });

  test('is attached but not shown if it is not text', () => {
    const body = new Uint8Array([0xff, 0xfe, 0x00, 0x41]);
    const mail = mailWith(body, 'image/png');
    expect(mail.attachment).toEqual({ filename: 'payload.bin', type: 'application/octet-stream', content: body });
    const note = '4 bytes of image/png. It is not text and not shown here. The whole of it is attached as payload.bin.';
    expect(mail.text).toContain(`Payload: ${note}\n\nYou get this`);
    expect(mail.html).toContain(note);
  });

  test('is reported as empty if it is empty', () => {
    const mail = mailWith(new Uint8Array(), 'application/json');
    expect(mail.attachment).toBe(null);
    expect(mail.text).toContain('Payload: The payload is empty.\n');
    expect(mail.html).toContain('The payload is empty.');
  });
});

describe('a long payload', () => {
  test('of exactly the limit is shown completely', () => {
    const mail = mailWith(utf8('a'.repeat(shownBytes)));
    expect(mail.text).toContain('a'.repeat(shownBytes));
    expect(mail.text).not.toContain('…');
  });

  // The limit lies in the middle of the character, wherever that begins.
  test.each([
    ['é', 1],
    ['世', 1],
    ['世', 2],
    ['😀', 1],
    ['😀', 2],
    ['😀', 3],
  ])('is cut before a %s that has %i bytes before the limit', (character, before) => {
    const start = 'a'.repeat(shownBytes - before);
    const body = utf8(`${start}${character}${'z'.repeat(9)}`);
    const mail = mailWith(body);
    expect(mail.text).toContain(`${start}…\n`);
    expect(mail.html).toContain(`${start}…</pre>`);
    expect(mail.attachment?.content).toBe(body);
  });

  test('is cut after a character that ends at the limit', () => {
    const start = `${'a'.repeat(shownBytes - 4)}😀`;
    expect(mailWith(utf8(`${start}z`)).text).toContain(`${start}…\n`);
  });

  test('of 100 KB is shown in part and attached completely', () => {
    const body = utf8(JSON.stringify({ data: '<&">'.repeat(25_000) }));
    const mail = mailWith(body, 'application/json');
    expect(mail.text).toMatch(/^Payload: \d+\.\d KiB of application\/json\. Here are the first 20 KiB\. The whole /m);
    expect(mail.attachment).toEqual({ filename: 'payload.json', type: 'application/json', content: body });
    expect(mail.html.length).toBeLessThan(200_000);
  });

  test('of 20 MiB is attached; with one byte more it is available in the dashboard only', () => {
    const body = new Uint8Array(20 * 2 ** 20 + 1).fill(0x61);
    const most = body.subarray(1);
    expect(mailWith(most).attachment?.content).toBe(most);
    const mail = mailWith(body);
    expect(mail.attachment).toBe(null);
    const note = '20.0 MiB. Here are the first 20 KiB. It is too long to attach: the dashboard has the whole of it.';
    expect(mail.text).toContain(`Payload: ${note}\n`);
    expect(mail.html).toContain(note);
  });
});

test('a payload that the destination does not ask for is neither shown nor attached', () => {
  const mail = mailWith(utf8('top secret'), 'text/secret', false);
  expect(JSON.stringify(mail)).not.toMatch(/secret|[Pp]ayload/);
});
