import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { describe, expect, test } from 'vitest';
import { emailMessage } from '../../../src/notifications/messages/email-message.ts';
import type { Notice } from '../../../src/notifications/notice.ts';
import { folderForTest } from '../../support/folder-for-test.ts';
import { channels, failure, mailTo, noMail, summary } from './support.ts';

const outbox = (outboxDir: string) => channels({ mail: { ...noMail, outboxDir } });

/** Sends a notice to the outbox and returns the file. */
async function written(folder: string, notice: Notice, settings = mailTo(['a@ops.test', 'b@ops.test', 'A@ops.test'])) {
  const said = await outbox(folder)(settings, notice);
  if (!said.ok || said.outboxFile === null) throw new Error(JSON.stringify(said));
  return { said, file: said.outboxFile, email: await PostalMime.parse(readFileSync(said.outboxFile)) };
}
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const lines = (text: string | undefined) => text?.replaceAll('\r\n', '\n').trimEnd();

test.each([failure(), summary])('a $kind can be read in any mail program', async (notice) => {
  const { said, email, file } = await written(folderForTest(), notice);
  expect(said).toEqual({
    ...{ ok: true, responseCode: null, responseBody: null, durationMs: expect.any(Number), outboxFile: file },
  });
  const { subject, text, html } = emailMessage(notice, { includePayload: false });
  expect(email).toMatchObject({
    from: { name: 'Webhook gateway', address: 'gateway@gateway.test' },
    to: [{ address: 'a@ops.test' }, { address: 'b@ops.test' }],
    subject,
    messageId: `<${notice.id}@gateway.test>`,
    attachments: [],
  });
  expect([lines(email.text), lines(email.html)]).toEqual([lines(text), lines(html)]);
  expect(email.headers.find(({ key }) => key === 'x-notification-id')?.value).toBe(notice.id);
  const at = notice.kind === 'summary' ? notice.until : notice.failedAt;
  expect(Math.floor(Date.parse(email.date ?? '') / 1000)).toBe(Math.floor(at.getTime() / 1000));
  // RFC 5322, section 2.3.
  expect(readFileSync(file, 'latin1')).not.toMatch(/(?<!\r)\n|\r(?!\n)/);
});

test('characters of four bytes are kept, and line breaks in an event type start no header', async () => {
  const event_type = 'größe 😀\r\nBcc: all@ops.test\r\n\r\nfake body';
  const notice = failure({ error: '😀 ünï\r\nX-Injected: 1' }, { event_type });
  const { email } = await written(folderForTest(), notice);
  expect(email.bcc ?? []).toEqual([]);
  expect(email.headers.map(({ key }) => key)).not.toContain('x-injected');
  expect(email.subject).not.toMatch(/[\r\n]/);
  const { text, html } = emailMessage(notice, { includePayload: false });
  expect([lines(email.text), lines(email.html)]).toEqual([lines(text), lines(html)]);
});

test.each(['application/json', 'message/rfc822', 'text/plain; charset=latin1', 'multipart/mixed; boundary=x'])(
  'a payload of 100 KB as %s is attached byte for byte',
  async (contentType) => {
    const body = Buffer.from(Array.from({ length: 100_000 }, (_, n) => (n * 31) % 256));
    const notice = failure({ payload: { body, contentType } });
    const { email } = await written(folderForTest(), notice, mailTo(['a@ops.test'], true));
    const [attachment, ...more] = email.attachments;
    expect(more).toEqual([]);
    expect(attachment?.disposition).toBe('attachment');
    if (!(attachment?.content instanceof ArrayBuffer)) throw new Error('no bytes');
    expect(Buffer.from(attachment.content).equals(body)).toBe(true);
  },
);

test('a path or URL in a message stays text and is not read or fetched', async () => {
  const text =
    'file:///etc/hostname /etc/hostname http://127.0.0.1:1/ data:text/plain,hi <img src="file:///etc/hostname">';
  const notice = failure({ error: text }, { event_type: text });
  const { file } = await written(folderForTest(), notice);
  expect(readFileSync(file, 'latin1')).not.toContain(readFileSync('/etc/hostname', 'latin1').trim().padEnd(3, '\0'));
});

describe('the file', () => {
  test('and its folder are readable by their owner only', async () => {
    const folder = join(folderForTest(), 'outbox');
    const { file } = await written(folder, failure());
    expect([mode(folder), mode(file)]).toEqual(['700', '600']);
    expect(file).toBe(join(folder, `2026-11-20T10-00-00-123Z-${failure().id}.eml`));
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('is written once for the same notice, also with concurrent calls', async () => {
    const folder = folderForTest();
    const send = outbox(folder);
    const all = await Promise.all(Array.from({ length: 20 }, () => send(mailTo(['a@ops.test']), failure())));
    expect(all.every(({ ok }) => ok)).toBe(true);
    const [name, ...more] = readdirSync(folder);
    expect(more).toEqual([]);
    expect((await PostalMime.parse(readFileSync(join(folder, name ?? '')))).to).toHaveLength(1);
  });

  test('is a different one for another notice of the same moment', async () => {
    const folder = folderForTest();
    const ids = ['a/b', 'a_b', 'a:b', '../../etc/x', '.', 'x'.repeat(1_000), `${'x'.repeat(999)}y`, '😀\r\n\0', ''];
    const send = outbox(folder);
    const all = await Promise.all(ids.map((id) => send(mailTo(['a@ops.test']), failure({ id }))));
    expect(all.map(({ ok }) => ok)).toEqual(ids.map(() => true));
    const names = readdirSync(folder);
    expect(names).toHaveLength(ids.length);
    for (const name of names) expect(name).toMatch(/^2026-11-20T10-00-00-123Z-[\w.-]*\.eml$/);
  });
});

describe('a folder that cannot be used', () => {
  const failed = (outboxDir: string, reason: string) => ({
    ...{ ok: false, outcome: 'outbox_error', error: `the message could not be written to ${outboxDir}: ${reason}` },
    ...{ responseCode: null, responseBody: null, retryAfterMs: null, permanent: false },
    durationMs: expect.any(Number),
  });

  test('because a file is in its place', async () => {
    const file = join(folderForTest(), 'outbox');
    writeFileSync(file, '');
    expect(await outbox(file)(mailTo(['a@ops.test']), failure())).toEqual(failed(file, 'not a directory (ENOTDIR)'));
  });

  test('because its parent folder is missing', async () => {
    const folder = join(folderForTest(), 'data', 'outbox');
    expect(await outbox(folder)(mailTo(['a@ops.test']), failure())).toEqual(
      failed(folder, 'no such file or directory (ENOENT)'),
    );
  });

  test('because a folder has the name of the file; no temporary file is left', async () => {
    const folder = folderForTest();
    mkdirSync(join(folder, `2026-11-20T10-00-00-123Z-${failure().id}.eml`));
    const said = await outbox(folder)(mailTo(['a@ops.test']), failure());
    expect(said).toEqual(failed(folder, 'illegal operation on a directory (EISDIR)'));
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('because it is not writable', async () => {
    // Root, as whom tests may run, can write everywhere but below /proc.
    const isRoot = process.getuid?.() === 0;
    const folder = isRoot ? '/proc/sys/outbox' : folderForTest();
    if (!isRoot) chmodSync(folder, 0o500);
    const reason = isRoot ? 'no such file or directory (ENOENT)' : 'permission denied (EACCES)';
    expect(await outbox(folder)(mailTo(['a@ops.test']), failure())).toEqual(failed(folder, reason));
  });
});
