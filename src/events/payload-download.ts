import { hash } from 'node:crypto';
import type { Payload } from './read.ts';

/** File extensions of content types that senders use. Every other one gets `.bin`. */
const extensions: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/xml': 'xml',
  'text/xml': 'xml',
  'text/plain': 'txt',
  'application/x-www-form-urlencoded': 'txt',
};

/** The headers of a download, for the API description. */
export const downloadHeaderMeanings = {
  'Content-Disposition': 'The name of the file: the id of the event with an extension for its content type',
  'X-Payload-Content-Type': 'The content type that the sender named, percent-encoded; absent if it named none',
  'X-Payload-Bytes': 'Length of the complete body in bytes',
  'X-Payload-SHA256': 'SHA-256 of the complete body, in hexadecimal',
  'X-Payload-Truncated':
    '`true`: only the first `REJECTED_BODY_BYTES` of the body are stored; rejected webhooks only. Otherwise `false`',
};

/** Characters of a sender's content type that are shown; real ones have fewer than a hundred. */
const longestType = 500;

/**
 * The headers under which a body is downloaded. The sender chooses the bytes and their content type, so the answer must
 * never become a page of the gateway's origin: browsers save it, do not guess its type, and run nothing in it.
 */
export function downloadHeaders(eventId: string, payload: Payload): Record<string, string> {
  const { contentType, body, payloadBytes, payloadSha256 } = payload;
  return {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="event-${eventId}.${extensionOf(contentType)}"`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    ...(contentType === null ? {} : { 'x-payload-content-type': visible(contentType) }),
    'x-payload-bytes': String(payloadBytes),
    'x-payload-sha256': payloadSha256?.toString('hex') ?? hash('sha256', body, 'hex'),
    'x-payload-truncated': String(payloadBytes > body.length),
  };
}

function extensionOf(contentType: string | null): string {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (/^application\/[\w.-]+\+json$/.test(type)) return 'json';
  return extensions[type] ?? 'bin';
}

/** The text with every character percent-encoded that is no printable ASCII, so that no header can be injected. */
const visible = (text: string) =>
  text
    .slice(0, longestType)
    .toWellFormed()
    .replaceAll(/[^\x20-\x24\x26-\x7e]/gu, (character) => encodeURIComponent(character));
