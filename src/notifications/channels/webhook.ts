import { type Header, headerValue } from '../../delivery/headers.ts';
import { signDelivery } from '../../delivery/signature.ts';
import { secretsOfUrl } from '../../secrets/secret-mask.ts';
import type { DestinationSettings } from '../destinations/destination-config.ts';
import { webhookMessage } from '../messages/webhook-message.ts';
import type { FailureNotice, IncidentNotice, Said } from '../notice.ts';
import { type Outbound, postJson } from './post-message.ts';

type WebhookConfig = Extract<DestinationSettings, { destination_type: 'webhook' }>['config'];

/** Posts the message to a webhook destination, signed as in Standard Webhooks if it has a secret. Never rejects. */
export function sendToWebhook(
  outbound: Outbound,
  config: WebhookConfig,
  notice: FailureNotice | IncidentNotice,
): Promise<Said> {
  const { url, secret } = config;
  const { id } = notice;
  const body = Buffer.from(JSON.stringify(webhookMessage(notice)));
  const timestampS = Math.floor(outbound.nowMs() / 1000);
  const name = headerValue(id);
  const headers: Header[] = [
    ['idempotency-key', name],
    ['webhook-id', name],
    ['webhook-timestamp', String(timestampS)],
  ];
  // The signature covers the id as it is sent, because the receiver computes with that one.
  if (secret) headers.push(['webhook-signature', signDelivery({ secret, id: name, timestampS, body })]);
  const secrets = secretsOfUrl(url);
  if (secret) secrets.push(secret, secret.replace(/^whsec_/, ''));
  return postJson(outbound, { url, headers, body, secrets });
}
