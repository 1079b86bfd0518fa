import { readFileSync } from 'node:fs';
import { type Header, type InboundRequest, inboundRequest } from '../../src/providers/inbound-request.ts';

export const receivedAt = new Date('2026-03-01T12:00:00.123Z');

/** A request as Node provides it, with header values in latin1. */
export function requestOf({
  headers = [],
  query = '',
  body = '',
  at = receivedAt,
}: {
  headers?: Header[];
  query?: string;
  body?: string | Uint8Array;
  at?: Date;
}): InboundRequest {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return inboundRequest({
    rawHeaders: headers.flat(),
    target: `/provider/slug${query === '' || query.startsWith('?') ? '' : '?'}${query}`,
    publicUrl: 'https://gateway.example',
    body: bytes,
    receivedAt: at,
  });
}

/** A text as Node provides it in a header that was sent as UTF-8: decoded as latin1. */
export const asSent = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

export const fixture = (path: string) => readFileSync(new URL(`../fixtures/${path}`, import.meta.url));
