import { expect } from 'vitest';
import { type Header, inboundRequest } from '../../src/providers/inbound-request.ts';
import { twilio } from '../../src/providers/twilio.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { receivedAt } from '../support/providers/request.ts';

export const formType = 'application/x-www-form-urlencoded';

/** A request to `url`, whose origin is the gateway's own by default. */
export function requestTo({
  url = 'https://gateway.example/twilio/shop',
  publicUrl = new URL(url).origin as string | null,
  headers = [],
  body = '',
  contentType = formType,
}: {
  url?: string;
  publicUrl?: string | null;
  headers?: Header[];
  body?: string;
  contentType?: string;
}) {
  return inboundRequest({
    rawHeaders: [['Host', new URL(url).host], ['Content-Type', contentType], ...headers].flat(),
    target: url.slice(url.indexOf('/', 'https://'.length)),
    publicUrl,
    body: Buffer.from(body),
    receivedAt,
  });
}

export const ok = { ok: true };
export const refused = (reason: string) => expect.objectContaining({ ok: false, reason });

export const signedWith = (signature: string): Header[] => [['X-Twilio-Signature', signature]];
export const verify = (request: ReturnType<typeof requestTo>, secret: string, config: object = {}) =>
  verifyInbound(twilio, { skip: false, current: secret, previous: null, config }, request);
