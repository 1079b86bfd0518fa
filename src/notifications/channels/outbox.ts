import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import MailComposer from 'nodemailer/lib/mail-composer';
import { codeOf, reasonOf } from '../../delivery/failure.ts';
import { headerValue } from '../../delivery/headers.ts';
import type { Said } from '../notice.ts';
import type { Mail } from './mail.ts';

/** File names hold 255 bytes; this leaves room for the time and the ending. */
const longestName = 150;

/**
 * A notification's id as part of a file name and of a Message-ID, which no path or line can hide in. Ids that had to be
 * changed get a hash, so that no two become one.
 */
function nameOf(id: string): string {
  const safe = id.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, longestName);
  return safe === id ? safe : `${safe}-${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
}

/** The message as RFC 5322 has it. Nothing in it is taken for a file or an address to read from. */
function compose({ id, from, to, subject, text, html, attachment }: Mail, at: Date): Promise<Buffer> {
  const domain = from.email.slice(from.email.lastIndexOf('@') + 1);
  const composer = new MailComposer({
    from: { name: from.name, address: from.email },
    to: to.map((address) => ({ name: '', address })),
    ...{ subject, text, html, date: at },
    messageId: `<${nameOf(id)}@${domain}>`,
    headers: { 'X-Notification-Id': headerValue(id) },
    attachments: attachment
      ? [
          {
            filename: attachment.filename,
            contentType: attachment.type,
            content: Buffer.from(attachment.content),
            contentTransferEncoding: 'base64',
            contentDisposition: 'attachment',
          },
        ]
      : [],
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** Makes the folder, but none above it: those are missing only where something is wrong, such as a disk that is not mounted. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** The file is there whole, or not at all. */
async function writeWhole(folder: string, name: string, content: Buffer): Promise<string> {
  await makeFolder(folder);
  const temporary = join(folder, `.${randomBytes(12).toString('hex')}.new`);
  const path = join(folder, name);
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return path;
}

/**
 * Writes a message into a folder instead of sending it, as a file that mail programs open. The name is made of `at` (when
 * what it tells of happened) and its id: the same message again takes the place of the first.
 */
export async function writeToOutbox(folder: string, mail: Mail, at: Date): Promise<Said> {
  const startedMs = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedMs);
  const content = await compose(mail, at);
  const name = `${at.toISOString().replaceAll(/[:.]/g, '-')}-${nameOf(mail.id)}.eml`;
  try {
    const outboxFile = await writeWhole(folder, name, content);
    return { ok: true, responseCode: null, responseBody: null, durationMs: elapsedMs(), outboxFile };
  } catch (error) {
    return {
      ok: false,
      outcome: 'outbox_error',
      error: `the message could not be written to ${folder}: ${reasonOf(error)}`,
      ...{ responseCode: null, responseBody: null, retryAfterMs: null, permanent: false, durationMs: elapsedMs() },
    };
  }
}
