import { isUtf8 } from 'node:buffer';
import { parseWithinBounds, webhookBounds } from '../../shared/bounded-json.ts';
import { cut, oneLine, visible } from './text.ts';

/** A file of an e-mail. */
export interface Attachment {
  filename: string;
  type: string;
  content: Uint8Array;
}

/** The payload in an e-mail. */
export interface PayloadPart {
  /** One sentence that describes it. */
  note: string;
  /** The payload or its beginning; null when there is nothing to show. */
  shown: string | null;
  attachment: Attachment | null;
}

const mebibyte = 2 ** 20;
/** Longer payloads are hard to read, and mail programs truncate long messages (Gmail at about 102 KB). */
const maxShownBytes = 20 * 1024;
/** SendGrid accepts messages under 30 MB ("Mail Send: Limitations"); base64 takes up a quarter of that. */
const maxAttachedBytes = 20 * mebibyte;
const maxContentType = 100;

/** The shown part of a payload and its attachment. The attachment is the whole payload, unless it is too long. */
export function payloadPart({ body, contentType }: { body: Uint8Array; contentType: string | null }): PayloadPart {
  // SendGrid refuses attachments without content.
  if (body.length === 0) return { note: 'The payload is empty.', shown: null, attachment: null };
  const text = isUtf8(body);
  const attachment = body.length <= maxAttachedBytes ? { ...fileOf(body, text), content: body } : null;
  const what = describe(body, contentType);
  const whole = attachment
    ? `The whole of it is attached as ${attachment.filename}.`
    : 'It is too long to attach: the dashboard has the whole of it.';
  if (!text) return { note: `${what}. It is not text and not shown here. ${whole}`, shown: null, attachment };
  if (body.length > maxShownBytes) {
    const shown = `${visible(new TextDecoder().decode(beginning(body)))}…`;
    return { note: `${what}. Here are the first ${maxShownBytes / 1024} KiB. ${whole}`, shown, attachment };
  }
  return { note: `${what}. ${whole}`, shown: visible(new TextDecoder().decode(body)), attachment };
}

function fileOf(body: Uint8Array, text: boolean): { filename: string; type: string } {
  if (!text) return { filename: 'payload.bin', type: 'application/octet-stream' };
  // Deeply nested JSON is attached as text: parsing it may take long, and the sender could choose how long.
  if (parseWithinBounds(new TextDecoder().decode(body), webhookBounds) !== undefined)
    return { filename: 'payload.json', type: 'application/json' };
  return { filename: 'payload.txt', type: 'text/plain' };
}

function describe(body: Uint8Array, contentType: string | null): string {
  const declared = cut(oneLine(contentType ?? ''), maxContentType);
  return `${sizeOf(body.length)}${declared && ` of ${declared}`}`;
}

function sizeOf(bytes: number): string {
  if (bytes === 1) return '1 byte';
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < mebibyte) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / mebibyte).toFixed(1)} MiB`;
}

/** The first bytes of UTF-8 text to show, without an incomplete character at the end. */
function beginning(body: Uint8Array): Uint8Array {
  let end = maxShownBytes;
  // Bytes of the form 10xxxxxx continue a character, which has at most three of them.
  while (((body[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return body.subarray(0, end);
}
