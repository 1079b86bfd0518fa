/** A payload as text. */
export interface PayloadText {
  kind: 'JSON' | 'text' | 'binary';
  text: string;
}

/** More of a binary payload is rarely read. */
const shownBytes = 16_384;

/** The payload as the API parsed it: indented JSON, text, or bytes in hex. */
export function prettyText(payload: unknown): PayloadText {
  if (isBinary(payload)) return { kind: 'binary', text: hexText(bytesOfBase64(payload.base64)) };
  if (typeof payload === 'string') return { kind: 'text', text: payload };
  return { kind: 'JSON', text: JSON.stringify(payload, null, 2) };
}

/** The bytes as received: text if they are UTF-8, otherwise hex. */
export function rawText(bytes: Uint8Array): PayloadText {
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { kind: 'binary', text: hexText(bytes) };
  }
}

const isBinary = (payload: unknown): payload is { base64: string } =>
  typeof payload === 'object' &&
  payload !== null &&
  Object.keys(payload).length === 1 &&
  'base64' in payload &&
  typeof payload.base64 === 'string';

const bytesOfBase64 = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Lines of an offset, 16 bytes in hex, and the printable characters among them, as `hexdump -C` prints them. */
function hexText(bytes: Uint8Array): string {
  const lines = [];
  for (let offset = 0; offset < Math.min(bytes.length, shownBytes); offset += 16) {
    const row = [...bytes.subarray(offset, offset + 16)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const characters = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${offset.toString(16).padStart(8, '0')}  ${hex.padEnd(47)}  |${characters}|`);
  }
  const left = bytes.length - shownBytes;
  if (left > 0) lines.push(`… ${left} more bytes: download the payload to see them`);
  return lines.join('\n');
}
