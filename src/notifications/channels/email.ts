import type { DestinationSettings } from '../destinations/destination-config.ts';
import { emailMessage } from '../messages/email-message.ts';
import { partsOf } from '../messages/parts.ts';
import { type Notice, notSent, type Said } from '../notice.ts';
import type { MailSettings } from '../settings.ts';
import type { Mail } from './mail.ts';
import type { Outbound } from './post-message.ts';

type EmailConfig = Extract<DestinationSettings, { destination_type: 'email' }>['config'];

const mediaType = /^(?!message\/|multipart\/)[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/i;

/**
 * A safe media type for an attachment; the given type may come from a provider. Parameters are removed, because
 * SendGrid refuses `;`. Types that mail programs would parse as messages or parts are replaced.
 */
function plainType(type: string): string {
  const [essence = ''] = type.split(';');
  return mediaType.test(essence.trim()) ? essence.trim().toLowerCase() : 'application/octet-stream';
}

/** Removes repeated addresses, ignoring case: SendGrid refuses a message that has an address twice. */
function once(addresses: readonly string[]): string[] {
  const byLetters = new Map<string, string>();
  for (const address of addresses)
    if (!byLetters.has(address.toLowerCase())) byLetters.set(address.toLowerCase(), address);
  return [...byLetters.values()];
}

/**
 * Sends the message by e-mail: through SendGrid, or into the outbox without an API key. Rejects only for bugs. The
 * libraries of both take 0.1 s of CPU time to load, so each is loaded for its first e-mail.
 */
export async function sendByEmail(
  outbound: Outbound,
  settings: MailSettings,
  config: EmailConfig,
  notice: Notice,
): Promise<Said> {
  const { sendgrid, outboxDir } = settings;
  const { subject, text, html, attachment } = emailMessage(notice, { includePayload: config.include_payload ?? false });
  const mail: Mail = {
    id: notice.id,
    from: { name: 'Webhook gateway', email: settings.from },
    to: once(config.addresses),
    ...{ subject, text, html },
    attachment: attachment && {
      filename: attachment.filename.replaceAll(/[^\w.-]+/g, '_'),
      type: plainType(attachment.type),
      content: attachment.content,
    },
  };
  if (sendgrid) return (await import('./sendgrid.ts')).sendBySendGrid(outbound, sendgrid, mail);
  if (outboxDir !== null) return (await import('./outbox.ts')).writeToOutbox(outboxDir, mail, partsOf(notice).at);
  return notSent('mail_not_configured', 'no e-mail can be sent: set SENDGRID_API_KEY', { permanent: true });
}
