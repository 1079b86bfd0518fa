import { type InboundRequest, inboundRequest } from '../../../src/providers/inbound-request.ts';
import type { VerificationSettings } from '../../../src/providers/provider.ts';
import { readProviderConfig } from '../../../src/providers/registry.ts';
import type { Message, Sample, Signed } from './sample.ts';

const publicUrl = 'https://gateway.example';
export const receivedAt = new Date('2026-03-01T12:00:00.000Z');

/** The message for a provider to sign. By default it is sent now to the account `shop`. */
export function messageOf(
  sample: Sample,
  message: Omit<Partial<Message>, 'body'> & { body: string | Uint8Array },
): Message {
  return {
    at: receivedAt,
    url: `${publicUrl}/${sample.provider}/shop`,
    ...message,
    body: typeof message.body === 'string' ? Buffer.from(message.body) : message.body,
  };
}

/** The signed webhook as the gateway receives it, with the content type and length that HTTP adds. */
export function received(sample: Sample, signed: Signed, contentType = 'application/json'): InboundRequest {
  return inboundRequest({
    rawHeaders: [['Content-Type', contentType], ['Host', 'gateway.example'], ...signed.headers].flat(),
    target: `/${sample.provider}/shop${signed.query ?? ''}`,
    publicUrl,
    body: signed.body,
    receivedAt,
  });
}

/** An account's settings with these secrets and the sample's config. */
export function settingsOf(
  sample: Sample,
  current: string | null,
  previous: string | null = null,
): VerificationSettings {
  return { skip: false, current, previous, config: readProviderConfig(sample.provider, sample.config ?? {}) };
}
