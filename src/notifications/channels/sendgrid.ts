import sendgrid from '@sendgrid/mail';
import { z } from 'zod';
import { headerValue } from '../../delivery/headers.ts';
import type { Said } from '../notice.ts';
import type { MailSettings } from '../settings.ts';
import type { Mail } from './mail.ts';
import { jsonOf, type Outbound, postJson } from './post-message.ts';
import { userAgent } from './user-agent.ts';

/**
 * What the library sends with, in place of its own client: requests go through the gateway's sender, so that its guard
 * against private addresses, its time limit and its bounds hold. Of a client the library calls `request` alone.
 */
class SenderClient {
  readonly #post: (path: string, body: Uint8Array) => Promise<Said>;
  said: Said | null = null;

  constructor(post: (path: string, body: Uint8Array) => Promise<Said>) {
    this.#post = post;
  }

  /** The library's own client rejects for an answer that is no 2xx; here `said` tells. */
  async request({ url, body }: { url: string; body: object }): Promise<[{ statusCode: number | null }, object]> {
    // `headers` are given, too, but they are those of the e-mail, which are in the body.
    this.said = await this.#post(url, Buffer.from(JSON.stringify(body)));
    return [{ statusCode: this.said.responseCode }, {}];
  }
}

const refusal = z.object({ errors: z.array(z.object({ message: z.string() })).min(1) });

/** What SendGrid says is wrong, in its own words. */
function gist(body: string): string {
  const parsed = refusal.safeParse(jsonOf(body));
  return parsed.success ? parsed.data.errors.map(({ message }) => message).join('; ') : body;
}

/**
 * Hands a message to SendGrid's v3 API. It has no idempotency keys: the notification's id goes along, in `custom_args` for
 * its events and in a header of the message, so that a message that came twice can be told.
 *
 * Source: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send
 */
export async function sendBySendGrid(
  outbound: Outbound,
  { apiKey, baseUrl }: NonNullable<MailSettings['sendgrid']>,
  { id, from, to, subject, text, html, attachment }: Mail,
): Promise<Said> {
  const client = new SenderClient((path, body) =>
    postJson(outbound, {
      url: `${baseUrl}${path}`,
      headers: [['accept', 'application/json'], ['authorization', `Bearer ${apiKey}`], userAgent],
      ...{ body, gist },
      secrets: [apiKey],
    }),
  );
  // What the package exports is one service for the whole process; this is one of our own that stands on it.
  const service: typeof sendgrid = Object.create(sendgrid);
  service.setClient(client);
  await service.send({
    ...{ from, to: [...to], subject, text, html },
    ...(attachment && {
      attachments: [
        {
          content: Buffer.from(attachment.content).toString('base64'),
          filename: attachment.filename,
          type: attachment.type,
          disposition: 'attachment',
        },
      ],
    }),
    customArgs: { notification_id: id },
    headers: { 'X-Notification-Id': headerValue(id) },
    category: 'webhook-gateway',
    // Links stay as they are, and nobody is watched while reading.
    trackingSettings: { clickTracking: { enable: false, enableText: false }, openTracking: { enable: false } },
  });
  if (!client.said) throw new Error('the library sent nothing');
  return client.said;
}
