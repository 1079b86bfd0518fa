import type { Notice } from '../notice.ts';
import { type EmailContent, emailContent } from './email-content.ts';
import { emailHtml } from './email-html.ts';
import type { Attachment } from './email-payload.ts';
import { headline } from './words.ts';

/** The subject, body and attachment of an e-mail. */
export interface EmailMessage {
  /** Less than 200 characters without control characters, because it becomes a header. */
  subject: string;
  text: string;
  html: string;
  /** The payload as it was received. */
  attachment: Attachment | null;
}

/**
 * An e-mail in plain text and HTML (R25).
 *
 * @param options.includePayload whether the payload is shown and attached
 */
export function emailMessage(notice: Notice, options: { includePayload: boolean }): EmailMessage {
  const content = emailContent(notice, options.includePayload);
  return {
    subject: headline(notice),
    text: plainText(content),
    html: emailHtml(content),
    attachment: content.payload?.attachment ?? null,
  };
}

/**
 * The content of the HTML as plain text. Text from outside is indented, so that it cannot pass for the gateway's own.
 */
function plainText(content: EmailContent): string {
  const { facts, error, entries, link, payload } = content;
  const paragraphs = [
    content.title,
    content.introduction,
    facts.map(([label, value]) => `${`${label}:`.padEnd(12)} ${value}`).join('\n'),
    error && `${error.label}:\n${indented(error.text)}`,
    ...entries.map(({ name, error, url }) => `* ${name}: ${error}\n  ${url}`),
    `${link.words}:\n${link.url}`,
    payload && `Payload: ${payload.note}`,
    payload?.shown != null && indented(payload.shown),
    content.footer,
  ];
  return `${paragraphs.filter((paragraph) => paragraph).join('\n\n')}\n`;
}

const indented = (text: string) => text.replace(/^/gm, '  ');
