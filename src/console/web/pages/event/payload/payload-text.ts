/** A payload as text. */
export interface PayloadText {
  kind: 'JSON' | 'text' | 'binary';
  text: string;
}

/** More of a binary payload is rarely read. */
const shownBytes = 16_384;

/** The payload to be read: indented JSON, text, or bytes in hex. `isJson`: whether the API could parse it as JSON. */
export function prettyText(bytes: Uint8Array, isJson: boolean): PayloadText {
  const raw = rawText(bytes);
  return isJson && raw.kind === 'text' ? { kind: 'JSON', text: indented(raw.text) } : raw;
}

/** The bytes as received: text if they are UTF-8, otherwise hex. */
export function rawText(bytes: Uint8Array): PayloadText {
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { kind: 'binary', text: hexText(bytes) };
  }
}

// TypeScript does not know these parts of the language yet.
type Reviver = (name: string, value: unknown, context: { source?: string }) => unknown;
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON?(text: string): unknown;
};

/**
 * JSON with its numbers as they were written: ids of 19 digits would be rounded, and `1.10` would become `1.1`. Browsers
 * that cannot keep them get the text as it is.
 */
function indented(text: string): string {
  if (!rawJSON) return text;
  const exact = parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && source !== String(value) ? rawJSON(source) : value,
  );
  return JSON.stringify(exact, null, 2);
}

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
