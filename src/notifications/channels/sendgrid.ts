import sendgrid from '@sendgrid/mail';
import { z } from 'zod';
import { headerValue } from '../../delivery/headers.ts';
import { parsedJson } from '../../shared/bounded-json.ts';
import type { Said } from '../notice.ts';
import type { MailSettings } from '../settings.ts';
import type { Mail } from './mail.ts';
import { type Outbound, postJson } from './post-message.ts';
import { userAgent } from './user-agent.ts';

const refusal = z.object({ errors: z.array(z.object({ message: z.string() })).min(1) });

/** The error messages in a response of SendGrid. */
function gist(body: string): string {
  const parsed = refusal.safeParse(parsedJson(body));
  return parsed.success ? parsed.data.errors.map(({ message }) => message).join('; ') : body;
}

/**
 * Sends a message through SendGrid's v3 API. The API has no idempotency keys. The notification's id is therefore in
 * `custom_args`, which SendGrid's events repeat, and in a header of the message, so that duplicates can be recognized.
 *
 * Source: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send
 */
export async function sendBySendGrid(
  outbound: Outbound,
  { apiKey, baseUrl }: NonNullable<MailSettings['sendgrid']>,
  { id, from, to, subject, text, html, attachment }: Mail,
): Promise<Said> {
  // Replaces the HTTP client of SendGrid's library, which calls only `request`. Requests go through the gateway's sender,
  // so that its address guard, its time limit and its bounds apply. The library's own client rejects for a status that is
  // not 2xx; this one keeps the outcome instead.
  const client: { said: Said | null; request(call: { url: string; body: object }): Promise<unknown> } = {
    said: null,
    async request({ url, body }) {
      this.said = await postJson(outbound, {
        url: `${baseUrl}${url}`,
        // The library also passes `headers`, but those are the e-mail's headers, which the body contains.
        headers: [['accept', 'application/json'], ['authorization', `Bearer ${apiKey}`], userAgent],
        body: Buffer.from(JSON.stringify(body)),
        gist,
        secrets: [apiKey],
      });
      return [{ statusCode: this.said.responseCode }, {}];
    },
  };
  // The package exports a single service object. A derived object gets its own client and leaves that one unchanged.
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
    // SendGrid must not rewrite links or track recipients.
    trackingSettings: { clickTracking: { enable: false, enableText: false }, openTracking: { enable: false } },
  });
  if (!client.said) throw new Error('the library sent nothing');
  return client.said;
}
