import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import MailComposer from 'nodemailer/lib/mail-composer';
import { codeOf, reasonOf } from '../../delivery/failure.ts';
import { headerValue } from '../../delivery/headers.ts';
import { notSent, type Said } from '../notice.ts';
import type { Mail } from './mail.ts';

/** Bytes. File names may have 255 bytes; this leaves room for the time and the extension. */
const longestName = 150;

/**
 * A notification's id in a form that is safe in a file name and a Message-ID: without path separators or line ends. An
 * id that had to be changed gets a hash, so that two ids never become equal.
 */
function nameOf(id: string): string {
  const safe = id.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, longestName);
  return safe === id ? safe : `${safe}-${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
}

/** Builds the message in the format of RFC 5322. No value in it is read as a file path or a URL to fetch. */
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

/** Creates the folder but not its parents: a missing parent indicates a problem, such as a disk that is not mounted. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Writes a file atomically: either the whole file exists, or none. */
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
 * Writes a message into a folder instead of sending it, as an `.eml` file for mail programs. The file name consists of
 * `at` (the time of the failure) and the message's id, so writing a message again replaces the file.
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
    const why = `the message could not be written to ${folder}: ${reasonOf(error)}`;
    return notSent('outbox_error', why, { durationMs: elapsedMs() });
  }
}
