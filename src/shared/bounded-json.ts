/** Limits for JSON text, checked before it is parsed. */
export interface JsonBounds {
  /** Nesting levels of objects and arrays. */
  levels: number;
  /** Members of objects and elements of arrays, at all levels together; unlimited when absent. */
  values?: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * Whether JSON text in UTF-8 is within `bounds`. It reads each byte at most once, so it takes about 1 ms per MiB for
 * any content. `JSON.parse` takes up to 100 ms per MiB (measured with brackets and with short keys). It does not check
 * whether the text is valid JSON: it only counts brackets and commas outside strings.
 */
export function isWithinBounds(json: Uint8Array, bounds: JsonBounds): boolean {
  const { levels, values = Number.POSITIVE_INFINITY } = bounds;
  const { length } = json;
  // A level needs two bytes and a value at least one. Most webhooks are too short to exceed the bounds.
  if (length < 2 * (levels + 1) && length < values) return true;
  let depth = 0;
  // The first value has no comma before it.
  let count = 1;
  for (let at = 0; at < length; at++) {
    const byte = json[at];
    if (byte === quote) {
      for (at++; at < length && json[at] !== quote; at++) if (json[at] === backslash) at++;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > levels || ++count > values) return false;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === comma && ++count > values) return false;
  }
  return true;
}

/** Parses JSON text; undefined when it is not within `bounds` or not valid JSON. */
export function parseWithinBounds(json: string, bounds: JsonBounds): unknown {
  return isWithinBounds(Buffer.from(json), bounds) ? parsedJson(json) : undefined;
}

/** Parses JSON text; undefined when it is not valid. */
export function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * The bounds for webhooks that the gateway parses and shows. Payloads have a few dozen levels. Code that visits each
 * value is recursive, and many clients' parsers do not accept more levels.
 */
export const webhookBounds: JsonBounds = { levels: 500 };
